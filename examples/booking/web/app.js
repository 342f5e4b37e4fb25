// The page: a login, then the week.

import { book, move } from "./actions.js";
import { fill, h } from "./dom.js";
import { drags } from "./drag.js";
import { head, side, strip } from "./panel.js";
import { connection, crud, sentence } from "./service.js";
import { changed, drawBy, enter, follow, leave, may, narrow, state } from "./store.js";
import { week } from "./week.js";

const app = document.getElementById("app");
const shell = {
  banner: h("p", { class: "banner", role: "alert" }),
  head: h("header", { class: "top" }),
  side: h("aside", { "aria-label": "Rooms" }),
  week: h("main", { class: "week", tabindex: 0, "aria-label": "Week" }),
};
const find = (key) => state.bookings.find(({ id }) => String(id) === key);
const isHeld = drags(shell.week, {
  book: (slot) => may("member") && book(slot),
  move: (key, slot) => move(find(key), slot),
});

drawBy(() => {
  if (isHeld() || !state.rooms) return;
  fill(shell.head, head(logOut));
  fill(shell.side, side());
  fill(shell.week, narrow.matches && strip(), week());
});

function logIn() {
  leave();
  const alert = h("p", { role: "alert" });
  const submit = async (event) => {
    event.preventDefault();
    const { username, password } = Object.fromEntries(new FormData(event.target));
    fill(alert);
    await crud.$session.login(username, password).then(start).catch((error) => fill(alert, sentence(error)));
  };
  const input = (name, autocomplete = name) =>
    h("input", { name, type: name === "password" && name, autocomplete, required: true });
  fill(app, h("main", { class: "login" }, h("form", { onsubmit: submit }, h("h1", null, "Rooms and desks"),
    h("label", null, "Mail address", input("username")),
    h("label", null, "Password", input("password", "current-password")), alert,
    h("button", { class: "main" }, "Log in"), h("a", { href: "/account/forgot" }, "Forgot your password?"))));
}

async function logOut() {
  await crud.$session.logout();
  logIn();
}

async function start() {
  await enter();
  fill(app, shell.banner, shell.head, h("div", { class: "body" }, shell.side, shell.week));
  shell.week.scrollTop = 0;
}

connection.addEventListener("change", () => {
  const { isUp, since } = connection;
  const time = new Date(since).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  fill(shell.banner, isUp ? "" : `Not connected. You see the week as of ${time}; it goes on by itself.`);
  if (isUp && state.rooms) void follow();
});
crud.$session.onChange(() => crud.$session.username() || logIn());
narrow.addEventListener("change", changed);
setInterval(changed, 60_000);
if (crud.$session.username()) start().catch(logIn);
else logIn();
