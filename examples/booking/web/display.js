// The screen at a room's door: whether it is free, and what comes. It needs no login, and shows no person.

import { fill, h } from "./dom.js";
import { clock, longDay, shown } from "./time.js";

const app = document.getElementById("app");

const show = (day, asOf) => {
  const time = (at) => clock(shown(at, day.time_zone).minutes);
  const now = new Date().toISOString();
  const ahead = day.bookings.filter(({ ends_at }) => ends_at > now);
  const taken = ahead.find(({ starts_at }) => starts_at <= now);
  const next = ahead.find(({ starts_at }) => starts_at > now);
  document.title = day.room;
  document.body.classList.toggle("taken", Boolean(taken));
  const end = taken?.ends_at ?? next?.starts_at;
  const until = end ? `until ${time(end)}` : "for the rest of the day";
  fill(app,
    h("div", null, h("h1", null, `${day.room} · ${time(now)}`),
      h("p", { class: "state" }, taken ? "Taken" : "Free"), h("p", null, until),
      asOf && h("p", { role: "alert" }, `Not connected: as of ${asOf}.`)),
    h("section", null, h("h2", null, longDay(shown(now, day.time_zone).date)),
      h("ol", null, ahead.map((one) => h("li", null, `${time(one.starts_at)}–${time(one.ends_at)}`)))));
};

let last = null;

async function turn() {
  const answer = await fetch(`${location.pathname}/day`).catch(() => null);
  if ([400, 404].includes(answer?.status)) return fill(app, h("h1", null, "This address is no longer that of a room."));
  if (answer?.ok) last = { day: await answer.json(), at: Date.now() };
  if (last) show(last.day, !answer?.ok && clock(shown(last.at, last.day.time_zone).minutes));
}

await turn();
setInterval(turn, 15_000);
