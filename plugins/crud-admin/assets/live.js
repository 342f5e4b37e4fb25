// Changes by others, as the service tells them: by one stream for all tabs of the page.

import { useEffect, useRef } from "./vendor/preact.js";
import { currentMark, send } from "./api.js";
import { filterOf } from "./list/operators.js";
import { Raw, integer, write } from "./json.js";
import { service } from "./schema.js";

/** The least time between two loads of what changes all the time, in milliseconds. */
const PAUSE = 1_000;

let opened = null;

/** The stream of events. Its code is loaded with the first place that follows one. */
function stream() {
  opened ??= import("./vendor/events.js").then(({ createEvents, TIMING }) => {
    const fetch = (path, { body, headers, signal }) =>
      send("POST", path, { body, type: "application/json", headers: { accept: headers.accept }, signal });
    // Tabs of the same person have one stream.
    return createEvents({ url: "", fetch, timing: TIMING }, () => JSON.stringify(service.user));
  });
  return opened;
}

const pause = () => new Promise((done) => setTimeout(done, PAUSE, null));

const marks = new WeakMap();

/** Loads what is followed later: events after a mark from before that may be new to it. */
export async function withMark(load) {
  const mark = currentMark();
  const value = await load();
  marks.set(value, mark);
  return value;
}

/** Calls `changed` for what has changed, and again only after a while. What cannot be followed stays as it is. */
async function followAll(resource, where, mark, changed, signal) {
  const { follow } = await stream();
  // The client of events writes integers beyond a double's range by this mark.
  const text = JSON.stringify(where, (_, value) => (value instanceof Raw ? `\u0000integer:${value.text}` : value));
  const asked = { resource: resource.path.slice(1), where: JSON.parse(text), mark };
  // Nothing says what has changed before the stream began.
  if (mark === null) pause().then(() => signal.aborted || changed(signal)).catch(() => {});
  for await (const _ of follow(asked, signal)) {
    await changed(signal).catch(() => {});
    await pause();
  }
}

/**
 * Calls `changed(signal)` when records of a resource that fit a condition have changed since `loaded` was, where
 * the service tells that to the caller. `null` follows nothing.
 */
export function useChanges(resource, where, loaded, changed) {
  const latest = useRef();
  latest.current = changed;
  useEffect(() => {
    if (!resource.live || !service.paths.events || !where || !loaded) return undefined;
    const abort = new AbortController();
    const news = async (signal) => latest.current(signal);
    followAll(resource, where, marks.get(loaded) ?? null, news, abort.signal).catch(() => {});
    return () => abort.abort();
  }, [resource.path, write(where), !loaded]);
}

/** A filter's value in JSON; `null` where its text does not tell. */
function valueOf({ kind }, op, text) {
  if (op === "isnull" || kind === "bool") return text === "true";
  const value = kind === "int" ? integer : kind === "float" ? Number : String;
  if (op !== "in" && op !== "nin") return value(text);
  return text.includes('"') ? null : text.split(",").map(value);
}

/** The condition of a list's filters. One that events cannot have is left out: more events than needed do no harm. */
export function conditionOf(resource, query) {
  const all = query.map(([name, text]) => {
    const filter = name.includes(".") || text === "me" ? null : filterOf(resource, name);
    // Zones of other records are none of a stream's conditions.
    return [name, filter && filter.op !== "on" ? valueOf(filter.field, filter.op, text) : null];
  });
  return Object.fromEntries(all.filter(([, value]) => value !== null && !Number.isNaN(value)));
}

/** The condition that one record fits. */
export const conditionOfRecord = (resource, record) =>
  Object.fromEntries(resource.key.map((name) => [name, record[name]]));
