// What is around the week: its head, the rooms, and on a phone the days.

import { bookNext, open } from "./actions.js";
import { h, say } from "./dom.js";
import { calendar, floorPlan } from "./more.js";
import { sentence } from "./service.js";
import { changed, enterCompany, go, isMine, isWaiting, may, narrow, slotOf, state } from "./store.js";
import { clock, dayOfMonth, longDay, plus, shown, span, weekOf, weekday } from "./time.js";

const pressed = (key, isPressed, onclick, ...content) =>
  h("button", { "data-key": key, "aria-pressed": String(isPressed), onclick }, content);

const plain = (label, onclick, text = label) =>
  h("button", { class: "plain", "data-key": label, "aria-label": label, onclick }, text);

export function head(logOut) {
  const { location, date } = state;
  const tab = (one) => pressed(`at-${one.id}`, one === location, () => go(one, date), one.name);
  return [
    h("h1", null, companies()),
    h("div", { class: "tabs", role: "group", "aria-label": "Location" }, state.locations.map(tab)),
    h("span", { class: "gap" }),
    may("member") && h("button", { class: "main", "data-key": "book", onclick: bookNext }, "Book"),
    h("div", { class: "steps" },
      plain("Week before", () => go(location, plus(date, -7)), "‹"),
      plain("Today", () => go(location, state.today)),
      plain("Week after", () => go(location, plus(date, 7)), "›"),
      h("strong", null, weekOf(state.monday, narrow.matches))),
    plain("Log out", logOut),
  ];
}

/** The company, or those among which the user chooses. */
function companies() {
  const { companies, tenant } = state;
  if (companies.length < 2) return companies[0]?.name ?? "Rooms";
  const option = ({ id, name }) => h("option", { value: id, selected: id === tenant }, name);
  const choose = ({ target }) => enterCompany(Number(target.value)).catch((error) => say(sentence(error)));
  return h("select", { "aria-label": "Company", "data-key": "company", onchange: choose }, companies.map(option));
}

export function side() {
  const waiting = state.bookings.filter((one) => isWaiting(one) && isMine(one));
  const wish = (one) => plain(`${one.title}, ${longDay(slotOf(one).date)}, ${span(slotOf(one))}`, () => open(one));
  return [
    h("h2", null, "Rooms"), h("div", { class: "rooms" }, state.rooms.map(room)),
    waiting.length > 0 && h("section", null, h("h2", null, "You are waiting for"),
      h("ul", null, waiting.map((one) => h("li", null, wish(one))))),
    h("ul", { class: "more" }, [
      state.location.floor_plan && plain("Floor plan", () => floorPlan(state.location)),
      may("member") && plain("Calendar feed", calendar),
      may("manager") && h("a", { href: "/admin" }, "Administration"),
    ].filter(Boolean).map((one) => h("li", null, one))),
  ];
}

function room({ id, name, hue, about }) {
  const toggle = () => {
    if (!state.chosen.delete(id)) state.chosen.add(id);
    changed();
  };
  const input = { type: "checkbox", "data-key": `room-${id}`, checked: state.chosen.has(id), onchange: toggle };
  return h("label", { class: "room", vars: { hue } }, h("input", input),
    h("span", null, h("b", null, name), h("small", null, about), h("small", { class: "free" }, freeUntil(id))));
}

/** Whether a room is free now, and until when; nothing of another week. */
function freeUntil(room) {
  if (state.today < state.monday || state.today >= plus(state.monday, 7)) return "";
  const now = new Date().toISOString();
  const ahead = state.bookings.filter((one) => one.room_id === room && one.ends_at > now && !isWaiting(one));
  const next = ahead.sort((left, right) => (left.starts_at < right.starts_at ? -1 : 1))[0];
  if (!next || shown(next.starts_at, state.zone).date > state.today) return "free today";
  const time = (at) => clock(shown(at, state.zone).minutes);
  return next.starts_at <= now ? `taken until ${time(next.ends_at)}` : `free until ${time(next.starts_at)}`;
}

/** The days of the week as buttons, where one is shown. */
export function strip() {
  const day = (_, index) => {
    const date = plus(state.monday, index);
    const pick = () => {
      state.date = date;
      changed();
    };
    return pressed(`day-${index}`, date === state.date, pick, h("small", null, weekday(date)),
      h("b", { "aria-label": longDay(date) }, dayOfMonth(date)));
  };
  return h("div", { class: "strip", role: "group", "aria-label": "Day" }, Array.from({ length: 7 }, day));
}
