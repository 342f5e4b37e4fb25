// What others change, as the service tells it: by one stream for all tabs of the page.

import { useEffect, useRef } from "./vendor/preact.js";
import { send } from "./api.js";
import { filterOf } from "./list/operators.js";
import { integer, write } from "./json.js";
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

/** Waits, unless the signal is aborted meanwhile. */
const rest = (time, signal) => new Promise((done) => {
  const timer = setTimeout(done, time, null);
  signal.addEventListener("abort", () => { clearTimeout(timer); done(null); });
});

/** Calls `changed` for what has changed, and again only after a while. What cannot be followed stays as it is. */
async function follow(resource, where, changed, signal) {
  const { follow } = await stream();
  const asked = { resource: resource.path.slice(1), where: JSON.parse(write(where)), mark: null };
  for await (const events of follow(asked, signal)) {
    await changed(events, signal).catch(() => {});
    await rest(PAUSE, signal);
  }
}

/**
 * Calls `changed(events, signal)` when records of a resource that fit a condition have changed, where the service tells
 * that to the caller. `null` follows nothing.
 */
export function useChanges(resource, where, changed, keys) {
  const latest = useRef();
  latest.current = changed;
  useEffect(() => {
    if (!resource.live || !service.paths.events || where === null) return undefined;
    const abort = new AbortController();
    follow(resource, where, (...news) => Promise.resolve(latest.current(...news)), abort.signal).catch(() => {});
    return () => abort.abort();
  }, [resource.path, JSON.stringify(where), ...keys]);
}

/** A filter's value in JSON; `undefined` where its text does not tell. */
function valueOf({ kind }, op, text) {
  if (op === "isnull" || kind === "bool") return text === "true";
  const numbers = kind === "int" ? integer : kind === "float" ? Number : String;
  return op === "in" || op === "nin" ? (text.includes('"') ? undefined : text.split(",").map(numbers)) : numbers(text);
}

/** The condition of a list's filters. One that events cannot have is left out: more events than needed do no harm. */
export function conditionOf(resource, query) {
  const all = query.map(([name, text]) => {
    const filter = name.includes(".") || text === "me" ? null : filterOf(resource, name);
    return [name, filter && valueOf(filter.field, filter.op, text)];
  });
  return Object.fromEntries(all.filter(([, value]) => value !== null && value !== undefined && value === value));
}

/** The condition that one record fits. */
export const conditionOfRecord = (resource, record) =>
  Object.fromEntries(resource.key.map((name) => [name, record[name]]));
