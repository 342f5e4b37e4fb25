// Names of records that others refer to: asked for together, and kept for a while.

import { get } from "./api.js";
import { keyOf, resourceNamed, titleOf } from "./schema.js";
import { useEffect, useState } from "./vendor/preact.js";

const MAX = 100;
const LIFETIME = 60_000;
const known = new Map();
const wanted = new Map();
let timer = null;

/** Remembers the names of records that an answer has anyway. */
export function learn(resource, records) {
  for (const record of records) {
    known.set(`${resource.name} ${keyOf(resource, record)}`, { title: titleOf(resource, record), at: Date.now() });
  }
}

export function forget(resource, key) {
  known.delete(`${resource.name} ${key}`);
}

/** Whether the names of a resource's records can be asked for by their keys. */
const canAsk = (resource) =>
  resource?.may.has("list") && resource.key.length === 1 && resource.byName.get(resource.key[0])?.ops?.includes("in");

/** The name of a record, once it is known. */
export function useTitle(name, key) {
  const resource = resourceNamed(name);
  const id = `${name} ${key}`;
  const [title, setTitle] = useState(known.get(id)?.title ?? null);
  useEffect(() => {
    const found = known.get(id);
    setTitle(found?.title ?? null);
    if (found && Date.now() - found.at < LIFETIME) return undefined;
    if (key === null || key === undefined || !canAsk(resource)) return undefined;
    const listeners = wanted.get(id) ?? { resource, key: String(key), set: new Set() };
    listeners.set.add(setTitle);
    wanted.set(id, listeners);
    timer ??= setTimeout(askAll, 20);
    return () => listeners.set.delete(setTitle);
  }, [id]);
  return title;
}

function askAll() {
  timer = null;
  const all = [...wanted];
  wanted.clear();
  for (const resource of new Set(all.map(([, { resource }]) => resource))) {
    const own = all.filter(([, listeners]) => listeners.resource === resource);
    const max = Math.min(MAX, resource.page?.max ?? MAX);
    for (let start = 0; start < own.length; start += max) askSome(resource, own.slice(start, start + max));
  }
}

async function askSome(resource, some) {
  try {
    const keys = some.map(([, { key }]) => quoted(key)).join(",");
    const query = [[`${resource.key[0]}__in`, keys], ...(resource.page ? [["limit", some.length]] : [])];
    const { value } = await get(resource.path, query);
    learn(resource, value.data ?? value);
    for (const [id, { set }] of some) set.forEach((setTitle) => setTitle(known.get(id)?.title ?? null));
  } catch {
    // The keys are shown.
  }
}

export const quoted = (text) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** The name of a user, where the caller may see users; the subjects of the service's own users are numbers. */
export function useActor(subject) {
  const name = useTitle("AuthUser", /^\d+$/.test(subject ?? "") ? subject : null);
  return name ?? subject;
}
