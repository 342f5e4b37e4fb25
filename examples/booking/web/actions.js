// What people do to bookings.

import { say } from "./dom.js";
import { ask } from "./form.js";
import { crud, sentence, takenBy } from "./service.js";
import { changed, nameOf, replace, slotOf, state } from "./store.js";
import { instant, shown, span } from "./time.js";

export const open = (booking) => ask(slotOf(booking), booking, { save, act });
export const book = (slot) => ask(slot, null, { save, act });

/** The next full hour of the day that is shown, in the first room that is shown. */
export function bookNext() {
  const hour = Math.floor(shown(Date.now(), state.zone).minutes / 60);
  const from = state.date === state.today ? Math.min(hour + 1, 22) * 60 : 540;
  book({ room: [...state.chosen][0], date: state.date, from, to: from + 60 });
}

async function act(booking, name) {
  replace(await crud.bookings.act(booking, name));
  say({ cancel: "The booking is cancelled.", approve: "It is approved.", decline: "It is declined." }[name]);
}

/** Saves a booking, or a series by its rule. If another one has the time, it says which, and offers to wait for it. */
async function save(booking, { rule, participants, ...body }) {
  try {
    if (booking) replace(await crud.bookings.update(booking, body));
    else if (rule) await crud.series.create({ ...body, rule });
    else replace(await crud.bookings.create({ ...body, participants }));
  } catch (error) {
    const key = takenBy(error);
    if (key === null) throw error;
    say(await lost(key), booking || rule ? undefined : ["Wait for it", () => attempt(wait({ ...body, participants }))]);
  }
}

async function wait(body) {
  replace(await crud.bookings.create({ ...body, or_wait: true }));
  say("You are on the waiting list. The booking is yours as soon as the time is free.");
}

export function move(booking, { room, date, from, to }) {
  const [starts_at, ends_at] = [instant(date, from, state.zone), instant(date, to, state.zone)];
  return attempt(save(booking, { room_id: room, starts_at, ends_at }));
}

const attempt = (action) => action.catch((error) => say(sentence(error))).then(changed);

/** The sentence of a race that was lost; it names the winner to those who may see it. */
async function lost(key) {
  const other = key && (await crud.bookings.get(key).catch(() => null));
  if (!other) return "This time was just taken.";
  const facts = [other.title, span(slotOf(other))].filter(Boolean).join(", ");
  const who = nameOf(other);
  return `This time was just taken${who ? ` by ${who}` : ""} (${facts}).`;
}
