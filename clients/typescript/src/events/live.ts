import { isSame } from "../json.js";
import { CrudError } from "../problem.js";
import type { Query } from "../query.js";
import type { Item } from "../versions.js";
import type { Arrived, Change } from "./event.js";
import type { LoadedEvents } from "./lazy.js";

/** A page that was read. */
export interface ReadPage {
  records: Item[];
  /** The mark of the events that the page may not show yet. */
  mark: string | null;
  isBySkip: boolean;
}

/** Records of a list, and the mark of the events that they may not show yet. */
interface Listing {
  records: Item[];
  mark: string;
  /** The list was read in pages by `skip`, up to this mark: what moved meanwhile may have hidden other records. */
  until: string | null;
}

/** The source of a view's records. */
export interface LiveSource {
  pages(): AsyncIterable<ReadPage>;
  /** New events after a mark, as they come. Ends when the reader leaves. */
  follow(mark: string): AsyncIterable<Arrived[]>;
  keyOf(record: Item): string;
  /** Whether a mark is after another one. */
  isAfter(mark: string, other: string): boolean;
  /** The sort keys, such as `-price`. */
  sort: readonly string[];
  /** Whether the list shows a part of the records, or more than the records: only the service can tell what changes. */
  isPartial: boolean;
  /** Is aborted when the reader leaves. */
  signal: AbortSignal | undefined;
}

/** A list of a resource. */
interface LiveQuery extends Pick<LiveSource, "pages" | "keyOf" | "signal"> {
  /** The path of the resource, such as `products`. */
  resource: string;
  query: Query;
}

/** The records of a list, again after each change, by the events that the client has loaded. */
export function liveList(
  { events, conditionOf, isAfter, OTHERS }: LoadedEvents,
  { resource, query, signal, pages, keyOf }: LiveQuery,
): AsyncGenerator<readonly Item[]> {
  const asked = { resource, where: conditionOf(query) };
  return live({
    pages,
    keyOf,
    isAfter,
    follow: (mark) => events.follow({ ...asked, mark }, signal),
    sort: sortOf(query),
    isPartial: isPartial(query, OTHERS),
    signal,
  });
}

/** The time in which changes gather before the records are listed again, in milliseconds. */
const GATHER = 200;

/** The longest time from a change to its place in the service's log, in milliseconds. */
const LATE = 1_000;

/** The records of a view, again after each change. */
async function* live(source: LiveSource): AsyncGenerator<readonly Item[]> {
  let state = new Map<string, Item>();
  let listing = await list(source);
  let read = 0;
  for (;;) {
    yield take(listing);
    let isReset = false;
    for await (const events of source.follow(listing.mark)) {
      isReset = events.some(({ type }) => type === "reset");
      if (isReset) break;
      const moved = events.map(apply);
      const next = moved.includes("unknown") ? null : moved.includes("moved") ? sorted(state, source.sort) : state;
      state = next ?? state;
      const listed = next ? listing : await again(source);
      if (!listed) return;
      yield next ? [...state.values()] : take(listed);
    }
    const listed = isReset ? await again(source) : null;
    if (!listed) return;
    listing = listed;
  }

  /** Unchanged records stay the same objects. */
  function take(next: Listing): readonly Item[] {
    const before = state;
    listing = next;
    read = Date.now();
    state = new Map(
      next.records.map((record) => {
        const key = source.keyOf(record);
        const known = before.get(key);
        return [key, known && isSame(known, record) ? known : record];
      }),
    );
    return [...state.values()];
  }

  /** Folds an event into the records. Returns how that changes their order. */
  function apply(event: Arrived): "same" | "moved" | "unknown" {
    const { data, changed, record, record_id } = event as Change<Item>;
    if (record) return "same";
    const key = data ? source.keyOf(data) : String(record_id);
    const isSorted = !changed || source.sort.some((name) => changed.includes(bare(name)));
    const isMoved = !data || !state.has(key) || isSorted;
    if (data) state.set(key, data);
    else state.delete(key);
    const isHidden = isMoved && listing.until && (!source.isAfter(event.id, listing.until) || Date.now() - read < LATE);
    return source.isPartial || isHidden ? "unknown" : isMoved ? "moved" : "same";
  }
}

/** All records of a list, or those of the page that the query names. The first page has the oldest mark. */
async function list({ pages, isPartial }: LiveSource): Promise<Listing> {
  const all: Item[] = [];
  let first: string | null = null;
  let until: string | null = null;
  for await (const { records, mark, isBySkip } of pages()) {
    if (first !== null && isBySkip) until = mark;
    first ??= mark;
    all.push(...records);
    if (isPartial) break;
  }
  if (first === null) throw new TypeError("the list has no readable header Events-After");
  return { records: all, mark: first, until };
}

/** Lists again. A service that starts again meanwhile is waited for, until the reader leaves: `null` then. */
async function again(source: LiveSource): Promise<Listing | null> {
  const { signal } = source;
  for (let time = GATHER; !signal?.aborted; time = Math.min(time * 2, 30_000)) {
    await new Promise((resolve) => {
      const over = new AbortController();
      setTimeout(() => resolve(over.abort()), time * (0.5 + Math.random() / 2));
      signal?.addEventListener("abort", resolve, over);
    });
    try {
      return await list(source);
    } catch (error) {
      if (error instanceof CrudError && error.status < 500 && error.status !== 429) throw error;
    }
  }
  return null;
}

/** Whether a list shows more than the filters and the sort keys say: a part of the records, or other fields. */
const isPartial = (query: Query, others: readonly string[]): boolean =>
  others.some((name) => name !== "sort" && name !== "where" && query[name] !== undefined);

/** The sort keys of a list. */
const sortOf = ({ sort = [] }: Query): string[] =>
  Array.isArray(sort) ? sort.map(String) : String(sort).split(",");

const bare = (name: string) => name.replace(/^-/, "");

/**
 * The records in the order of sort keys: nulls are the smallest values, and keys the last sort key. Nothing if only the
 * service knows the order, as of enums and of texts that are no dates.
 */
function sorted(state: Map<string, Item>, sort: readonly string[]): Map<string, Item> | null {
  const isPlain = (value: unknown) => typeof (value ?? 0) !== "string" || /^\d{4}-\d\d-\d\d(T.*Z)?$/.test(String(value));
  const all = [...state];
  if (!sort.every((name) => all.every(([, record]) => isPlain(record[bare(name)])))) return null;
  const order = (left: unknown, right: unknown) =>
    left === right ? 0 : left === null || (right !== null && (left as number) < (right as number)) ? -1 : 1;
  return new Map(
    all.sort(([leftKey, left], [rightKey, right]) => {
      for (const name of sort) {
        const result = order(left[bare(name)], right[bare(name)]);
        if (result) return name.startsWith("-") ? -result : result;
      }
      return sort.length && leftKey.localeCompare(rightKey, "en", { numeric: true });
    }),
  );
}
