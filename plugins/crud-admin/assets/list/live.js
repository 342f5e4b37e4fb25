// A list that follows what others change. Rows that a person points at, or has selected, do not move away.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { isSame } from "../json.js";
import { conditionOf, useChanges } from "../live.js";
import { keyOf } from "../schema.js";
import { Button } from "../ui/parts.js";

/** The time for which a changed row has its colour, in milliseconds. */
const FRESH = 3_000;

/** The rows of a page by their keys. */
const rowsOf = (resource, page) => new Map(page.data.map((record) => [keyOf(resource, record), record]));

/** The keys of rows that another page does not have, or has with other values. */
function changedKeys(resource, page, before) {
  const known = rowsOf(resource, before);
  return [...rowsOf(resource, page)].filter(([key, record]) => !isSame(record, known.get(key) ?? null))
    .map(([key]) => key);
}

/** A page with the new values of its own rows. */
function inPlace(resource, page, next) {
  const news = rowsOf(resource, next);
  return { ...page, data: [...rowsOf(resource, page)].map(([key, record]) => news.get(key) ?? record) };
}

/**
 * Follows a list. Returns the keys of rows that have just changed, and a page that is not shown yet.
 *
 * @param {{ resource: any, query: any[], page: any, load: any, set: any, isHeld: () => boolean }} list
 */
export function useLiveList({ resource, query, page, load, set, isHeld }) {
  const [fresh, setFresh] = useState([]);
  const [pending, setPending] = useState(null);
  const timer = useRef();
  const place = `${resource.path} ${JSON.stringify(query)}`;
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => setPending(null), [place]);
  const show = (next) => {
    setFresh(changedKeys(resource, next, page));
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setFresh([]), FRESH);
    set(next);
  };
  const changed = async (signal) => {
    if (!page) return;
    const next = await load(signal);
    if (signal.aborted || isSame(next, page)) return;
    const keys = [next, page].map((page) => [...rowsOf(resource, page).keys()]);
    const isKept = !isSame(keys[0], keys[1]) && isHeld();
    setPending(isKept ? next : null);
    show(isKept ? inPlace(resource, page, next) : next);
  };
  useChanges(resource, resource.key.length > 0 && conditionOf(resource, query), page, changed);
  return { fresh, pending: pending && (() => { setPending(null); show(pending); }) };
}

/** The button that shows rows which others have added, moved or removed. */
export const Pending = ({ show }) => html`
  <div class="pending" role="status">${show
    && html`<${Button} icon="restore" kind="quiet" onClick=${show}>Changed elsewhere: show<//>`}</div>`;
