// The pointer in the week: drag over free time to book it, a booking to move it, its lower edge to change its end.

import { h } from "./dom.js";
import { changed, state } from "./store.js";
import { span } from "./time.js";

const STEP = 15;
const snap = (minutes) => Math.round(minutes / STEP) * STEP;

/** Listens in a week, whose elements may be replaced while nothing is held. Returns whether something is. */
export function drags(week, { book, move }) {
  let held = null;

  const laneAt = ({ clientX, clientY }) =>
    document.elementsFromPoint(clientX, clientY).find((element) => element.matches(".lane"));

  function minuteAt({ clientY }, lane) {
    const { top, height } = lane.getBoundingClientRect();
    const [first, last] = [state.first * 60, state.last * 60];
    return Math.min(last, Math.max(first, first + ((clientY - top) / height) * (last - first)));
  }

  /** The time that the pointer asks for. */
  function slotAt(event) {
    const { kind, at, from, to } = held;
    const lane = (kind === "move" && laneAt(event)) || held.lane;
    const minute = minuteAt(event, lane);
    const start = kind === "move" ? snap(from + minute - at) : kind === "end" ? from : snap(Math.min(at, minute));
    const end = kind === "move" ? start + to - from : snap(kind === "end" ? minute : Math.max(at, minute));
    const { room, date } = lane.dataset;
    return { lane, room: Number(room), date, from: start, to: Math.max(end, start + STEP) };
  }

  function show(event) {
    const { lane, from, to } = slotAt(event);
    held.ghost ??= h("div", { class: "ghost" });
    held.ghost.textContent = span({ from, to });
    held.ghost.style.setProperty("--from", from / 60);
    held.ghost.style.setProperty("--to", to / 60);
    if (held.ghost.parentElement !== lane) lane.append(held.ghost);
  }

  function release() {
    held?.ghost?.remove();
    held?.button?.classList.remove("held");
    const isDrawn = Boolean(held?.ghost);
    held = null;
    // What has changed meanwhile. A click keeps its button.
    if (isDrawn) changed();
  }

  week.addEventListener("pointerdown", (event) => {
    const lane = event.target.closest(".lane");
    const button = event.target.closest(".booking");
    if (!lane || event.button !== 0) return;
    // A finger scrolls; a touch that does not, books. Fingers move a booking by its form.
    if (button && (event.pointerType === "touch" || !button.hasAttribute("data-movable"))) return;
    const isEnd = button && button.getBoundingClientRect().bottom - event.clientY < 8;
    const { from, to, id } = button?.dataset ?? {};
    const kind = !button ? "book" : isEnd ? "end" : "move";
    const { clientX: x, clientY: y } = event;
    held = { lane, button, id, kind, x, y, at: minuteAt(event, lane), from: Number(from), to: Number(to) };
  });

  week.addEventListener("pointermove", (event) => {
    if (!held || event.pointerType === "touch") return;
    if (!held.ghost && Math.hypot(event.clientX - held.x, event.clientY - held.y) < 5) return;
    // From here on it is no click.
    if (!held.ghost) week.setPointerCapture(event.pointerId);
    held.button?.classList.add("held");
    show(event);
  });

  week.addEventListener("pointerup", (event) => {
    if (!held) return;
    const { ghost, kind, id, at } = held;
    const slot = slotAt(event);
    release();
    const hour = Math.floor(at / 30) * 30;
    if (kind === "book") book(ghost ? slot : { ...slot, from: hour, to: hour + 60 });
    else if (ghost) move(id, slot);
  });
  week.addEventListener("pointercancel", release);
  addEventListener("keydown", ({ key }) => key === "Escape" && release());
  return () => held !== null;
}
