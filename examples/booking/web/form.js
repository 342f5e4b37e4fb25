// The dialog of a booking: to make one, to change it, to cancel or approve it.

import { fill, h } from "./dom.js";
import { sentence } from "./service.js";
import { may, mayChange, nameOf, state } from "./store.js";
import { clock, instant, minutesOf } from "./time.js";

const dialog = document.getElementById("dialog");

/** Rules of series, as calendars have them (RFC 5545). */
const RULES = [["only once", ""], ["every day, 5 times", "FREQ=DAILY;COUNT=5"],
  ["every week, 10 times", "FREQ=WEEKLY;COUNT=10"]];

const field = (label, name, properties) => h("label", null, label, h("input", { name, required: true, ...properties }));
const button = (label, onclick, kind = "plain") => h("button", { type: "button", class: kind, onclick }, label);

/** Asks for a booking. `slot` has its room, date and minutes; `booking` is the record, if there is one already. */
export function ask(slot, booking, { save, act }) {
  const isOpen = !booking || mayChange(booking);
  const alert = h("p", { role: "alert" });
  const run = (action) => async (event) => {
    event.preventDefault();
    fill(alert);
    await action(event).then(() => dialog.close(), (error) => fill(alert, sentence(error)));
  };
  fill(dialog, h("form", { onsubmit: run(({ target }) => save(booking, bodyOf(target))) },
    h("h2", { id: "asked" }, !booking ? "Book a room" : isOpen ? "Change the booking" : "A booking"),
    booking && facts(booking),
    h("fieldset", { disabled: !isOpen }, fields(slot, booking)),
    alert,
    h("div", { class: "row" },
      booking && isOpen && button("Cancel the booking", run(() => act(booking, "cancel")), "plain danger"),
      h("span", { class: "gap" }),
      button("Close", () => dialog.close()),
      booking?.status === "requested" && may("manager") && [
        button("Decline", run(() => act(booking, "decline"))),
        button("Approve", run(() => act(booking, "approve")), "")],
      isOpen && h("button", { class: "main" }, booking ? "Save" : "Book"))));
  dialog.showModal();
  dialog.querySelector("input:enabled")?.focus();
}

const facts = (booking) => h("p", { class: "facts" },
  h("span", { class: `state ${booking.status}` }, booking.status), nameOf(booking) && ` by ${nameOf(booking)}`);

function fields({ room, date, from, to }, booking) {
  const option = ({ id, name, about }) => h("option", { value: id, selected: id === room }, `${name} · ${about}`);
  const time = (minutes) => ({ type: "time", value: clock(minutes % 1_440), step: 900 });
  const title = booking && (booking.title ?? "Taken");
  return [
    field("Title", "title", { value: title, maxlength: 120, placeholder: "Planning, interview, focus …" }),
    h("label", null, "Room", h("select", { name: "room" }, state.rooms.map(option))),
    h("div", { class: "row" }, field("Day", "date", { type: "date", value: date }),
      field("From", "from", time(from)), field("To", "to", time(to))),
    !booking && h("label", null, "Repeats", h("select", { name: "rule" },
      RULES.map(([label, value]) => h("option", { value }, label)))),
    !booking && h("details", null, h("summary", null, "Invite"), [...state.people.values()].map(invited)),
  ];
}

const invited = ({ id, name }) => id !== state.me?.id &&
  h("label", null, h("input", { type: "checkbox", name: "invited", value: id }), name);

/** The booking that a form asks for. Midnight is the end of its day. */
function bodyOf(form) {
  const data = new FormData(form);
  const { title, room, date, from, to, rule } = Object.fromEntries(data);
  const at = (minutes) => instant(date, minutes, state.zone);
  const [starts_at, ends_at] = [at(minutesOf(from)), at(minutesOf(to) || 1_440)];
  const participants = data.getAll("invited").map((key) => ({ member_id: Number(key) }));
  return { title, room_id: Number(room), starts_at, ends_at, rule, participants };
}
