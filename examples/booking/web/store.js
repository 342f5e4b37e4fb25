// What the page knows: the rooms of a location, and the bookings of a week, which follow what others change.

import { say } from "./dom.js";
import { crud, sentence } from "./service.js";
import { instant, monday, plus, shown } from "./time.js";

const HUES = [200, 50, 150, 320, 100, 265, 20, 235];

/** States of bookings that hold a room, or wait for one. */
const SHOWN = ["requested", "approved", "waiting"];

export const narrow = matchMedia("(max-width: 760px)");

/** `chosen` are the rooms that have a lane. */
export const state = { bookings: [], people: new Map(), chosen: new Set() };

let draw = () => {};
/** Shows what has changed. */
export const changed = () => draw();
export const drawBy = (function_) => { draw = function_; };

export const isWaiting = ({ status }) => status === "waiting";
export const isMine = ({ member_id }) => member_id === state.me?.id;
export const nameOf = ({ member_id }) => state.people.get(member_id)?.name;
export const may = (role) => state.roles.includes(role);
export const mayChange = (booking) => may("manager") || (may("member") && isMine(booking));

/** Place and time of a booking, as the clocks of the location show it. */
export function slotOf({ room_id, starts_at, ends_at }) {
  const [start, end] = [shown(starts_at, state.zone), shown(ends_at, state.zone)];
  return { room: room_id, date: start.date, from: start.minutes, to: end.date > start.date ? 1_440 : end.minutes };
}

/** Shows a saved booking at once; the stream brings it too. */
export function replace(booking) {
  const others = state.bookings.filter(({ id }) => id !== booking.id);
  state.bookings = [...others, booking].filter(({ status }) => SHOWN.includes(status));
  changed();
}

/** What this page has saved may be newer than a list that was on its way. */
function newer(listed) {
  const saved = state.bookings.find(({ id }) => id === listed.id);
  return saved && Date.parse(saved.updated_at) > Date.parse(listed.updated_at) ? saved : listed;
}

let following = new AbortController();

export const leave = () => following.abort();

/** Follows the bookings of the location's week, until another one is shown. A connection that is back begins anew. */
export async function follow() {
  following.abort();
  const { signal } = (following = new AbortController());
  const [from, to] = [state.monday, plus(state.monday, 7)].map((date) => instant(date, 0, state.zone));
  const rooms = state.rooms.map(({ id }) => id);
  const query = { room_id__in: rooms, starts_at__lt: to, ends_at__gt: from, status__in: SHOWN, sort: ["starts_at"] };
  try {
    for await (const bookings of crud.bookings.live(query, { signal })) {
      state.bookings = bookings.map(newer);
      changed();
    }
  } catch (error) {
    if (!signal.aborted && error.status) say(sentence(error));
  }
}

function about({ kind, capacity, equipment }) {
  const size = kind === "desk" ? "desk" : capacity === 1 ? "1 person" : `${capacity} people`;
  return [size, ...equipment.data.map(({ name }) => name.toLowerCase())].join(", ");
}

/** Shows a week of a location. */
export async function show(location, date) {
  const query = { location_id: location.id, expand: ["equipment"], sort: ["name"], limit: 100 };
  const { data } = await crud.rooms.list(query);
  // Rooms, then desks.
  const sorted = [...data.filter(({ kind }) => kind === "room"), ...data.filter(({ kind }) => kind !== "room")];
  const rooms = sorted.map((room, index) => ({ ...room, hue: HUES[index % HUES.length], about: about(room) }));
  const isOther = state.location !== location;
  Object.assign(state, { location, date, rooms, monday: monday(date), zone: location.time_zone });
  if (isOther) state.chosen = new Set(rooms.slice(0, 3).map(({ id }) => id));
  state.today = shown(Date.now(), state.zone).date;
  state.bookings = [];
  history.replaceState(null, "", `#${location.id}/${date}`);
  changed();
  void follow();
}

export const go = (location, date) => show(location, date).catch((error) => say(sentence(error)));

/** Reads what does not change from week to week, and shows this one. */
export async function enter() {
  const [profile, { data: locations }, { data: people }, { data: companies }] = await Promise.all([
    crud.$request("GET", "/profile"), crud.locations.list({ sort: ["name"] }),
    crud.members.list({ limit: 100 }), crud.companies.list()]);
  const { roles, tenant } = profile;
  const me = people.find(({ user_id }) => String(user_id) === profile.user_id);
  Object.assign(state, { me, roles, tenant, locations, companies });
  state.people = new Map(people.map((one) => [one.id, { ...one, name: one.name || `Member ${one.id}` }]));
  // A reload stays where the page is: `#2/2026-11-30`.
  const [key, date] = window.location.hash.slice(1).split("/");
  const location = locations.find(({ id }) => String(id) === key) ?? locations[0];
  await show(location, date ?? shown(Date.now(), location.time_zone).date);
}

/** Enters another company of the user. */
export async function enterCompany(key) {
  leave();
  await crud.$session.enter(key);
  await enter();
}
