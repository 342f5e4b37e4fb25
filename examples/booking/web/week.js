// The week of a location: a column for each day, a lane in it for each room that is chosen, a button for each booking.

import { move, open } from "./actions.js";
import { h } from "./dom.js";
import { isMine, isWaiting, mayChange, nameOf, narrow, state } from "./store.js";
import { clock, dayOfMonth, longDay, plus, shown, span, weekday } from "./time.js";

/** The days that are shown: one on a phone, else the working days, and the weekend if it has bookings. */
function daysOf({ monday, date, bookings }) {
  if (narrow.matches) return [date];
  const all = Array.from({ length: 7 }, (_, index) => plus(monday, index));
  return all.filter((day, index) => index < 5 || day === date || bookings.some((one) => pieceOf(one, day)));
}

/** The part of a booking that is on a day, in minutes of it. */
function pieceOf(booking, date) {
  const [start, end] = [shown(booking.starts_at, state.zone), shown(booking.ends_at, state.zone)];
  const from = start.date < date ? 0 : start.minutes;
  const to = end.date > date ? 1_440 : end.minutes;
  return start.date <= date && end.date >= date && from < to ? { booking, date, from, to } : null;
}

/** The whole of the week, anew. `state.first` and `state.last` become the hours that it shows. */
export function week() {
  const days = daysOf(state);
  const rooms = state.rooms.filter(({ id }) => state.chosen.has(id));
  const pieces = days.flatMap((date) => state.bookings.map((one) => pieceOf(one, date)).filter(Boolean));
  state.first = Math.min(7, ...pieces.map(({ from }) => Math.floor(from / 60)));
  state.last = Math.max(20, ...pieces.map(({ to }) => Math.ceil(to / 60)));
  const hour = (_, index) => h("span", null, clock((state.first + index) * 60));
  const vars = { days: days.length, lanes: rooms.length, first: state.first, last: state.last };
  return h("div", { class: "grid", vars },
    h("div", { class: "hours", "aria-hidden": "true" }, Array.from({ length: state.last - state.first }, hour)),
    days.map((date) => day(date, rooms, pieces.filter((one) => one.date === date))));
}

function day(date, rooms, pieces) {
  const isToday = date === state.today;
  const name = ({ name, hue }) => h("span", { vars: { hue } }, name);
  const now = { class: "now", vars: { at: shown(Date.now(), state.zone).minutes / 60 } };
  return h("section", { class: isToday ? "day today" : "day", "aria-label": longDay(date) },
    h("header", null, h("h2", null, weekday(date), " ", h("b", null, dayOfMonth(date))),
      h("div", { class: "names", "aria-hidden": "true" }, rooms.map(name))),
    h("div", { class: "lanes" },
      rooms.map((room) => lane(room, date, pieces.filter(({ booking }) => booking.room_id === room.id))),
      isToday && h("div", now)));
}

function lane({ id, name, hue }, date, pieces) {
  const waiting = pieces.filter(({ booking }) => isWaiting(booking));
  const queue = (one) => waiting.filter(({ from, to }) => from < one.to && one.from < to).length;
  const held = pieces.filter((one) => !waiting.includes(one));
  return h("div", { class: "lane", "data-room": id, "data-date": date, vars: { hue } },
    held.map((one) => block(name, one, queue(one))));
}

/** Minutes and days by which Alt and an arrow move a booking. */
const STEPS = { ArrowUp: [-15, 0], ArrowDown: [15, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function block(room, { booking, date, from, to }, waiting) {
  const { id, room_id, status, title = "Taken" } = booking;
  const who = nameOf(booking);
  const isMovable = mayChange(booking);
  const text = [title, span({ from, to }), who].filter(Boolean).join(" ");
  const words = [text, room, longDay(date), status, waiting > 0 && `${waiting} waiting`,
    isMovable && "Alt and arrows move it"].filter(Boolean).join(", ");
  const onkeydown = (event) => {
    const [minutes, days] = (event.altKey && isMovable && STEPS[event.key]) || [];
    if (minutes === undefined) return;
    event.preventDefault();
    move(booking, { room: room_id, date: plus(date, days), from: from + minutes, to: to + minutes });
  };
  return h("button", {
    class: ["booking", status, isMine(booking) && "mine", to - from < 45 && "short"].filter(Boolean).join(" "),
    "data-key": `booking-${id}`, "data-id": id, "data-movable": isMovable, "data-from": from, "data-to": to,
    vars: { from: from / 60, to: to / 60 }, "aria-label": words,
    "data-queue": waiting > 0 && `+${waiting}`, onclick: () => open(booking), onkeydown,
  }, h("b", null, title), " ", h("small", null, span({ from, to })), " ", who && h("small", null, who));
}
