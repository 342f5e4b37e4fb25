import type { Arrived } from "./events/event.js";
import type { LazyEvents } from "./events/lazy.js";
import type { ReadPage } from "./events/live.js";
import type { Query } from "./query.js";
import type { RequestOptions, Transport } from "./transport.js";
import { outdated, shows } from "./versions.js";
import type { Item, Version } from "./versions.js";

/** A key of a record: of several fields, the texts or numbers in the order of the path. */
export type Key = string | number | readonly (string | number)[];

/** What a request may have beside its own arguments. */
export interface CallOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/** Options of a stream of events beside its filters. */
export interface EventOptions {
  /** Ends the stream, and the loop that reads it. */
  signal?: AbortSignal;
  /** The mark after which events are new: `id` of the last one that the program has. From now on if absent. */
  after?: string;
}

interface Page {
  data: Item[];
  next_cursor?: string | null;
}

/** The routes of a resource. {@link ResourceOf} has its types. */
export class Resource {
  /** The versions of the records that were read, as long as the program has them. */
  readonly #versions = new WeakMap<Item, Version>();

  constructor(
    private readonly transport: Transport,
    /** The path of the resource, such as `/products`. */
    private readonly path: string,
    /** The fields of the key, in the order of paths. */
    private readonly keys: readonly string[],
    private readonly stream: LazyEvents,
  ) {}

  async list(query: Query = {}, options?: CallOptions): Promise<unknown> {
    return (await this.transport.send("GET", this.path, { ...options, query })).value;
  }

  async search(body: object = {}, options?: CallOptions): Promise<unknown> {
    return (await this.transport.send("POST", `${this.path}/search`, { ...options, body })).value;
  }

  /** Each record of a list, one page after the other. */
  async *each(query: Query = {}, options?: CallOptions): AsyncGenerator<Item, void, undefined> {
    for await (const { records } of this.#pages(query, options)) yield* records;
  }

  /** The pages of a list, each with its mark. */
  async *#pages(query: Query, options?: CallOptions): AsyncGenerator<ReadPage> {
    let read = 0;
    for (let place: Query = {}; ; ) {
      const { value, mark } = await this.transport.send("GET", this.path, { ...options, query: { ...query, ...place } });
      const page = (Array.isArray(value) ? { data: value, next_cursor: null } : value) as Page;
      yield { records: page.data, mark, isBySkip: page.next_cursor === undefined };
      read += page.data.length;
      if (page.next_cursor === null || page.data.length === 0) return;
      place = page.next_cursor === undefined ? { skip: Number(query.skip ?? 0) + read } : { cursor: page.next_cursor };
    }
  }

  /** The events of the records that satisfy the filters, as they come. */
  async *events(query: Query = {}, { signal, after }: EventOptions = {}): AsyncGenerator<Arrived, void, undefined> {
    const { events, conditionOf } = await this.stream.load();
    const asked = { resource: this.path.slice(1), where: conditionOf(query), mark: after ?? null };
    for await (const some of events.follow(asked, signal)) yield* some;
  }

  /** The records of a list, again after each change. */
  async *live(query: Query = {}, { signal }: { signal?: AbortSignal } = {}): AsyncGenerator<readonly Item[]> {
    const loaded = this.stream.load();
    const { liveList } = await import("./events/live.js");
    yield* liveList(await loaded, {
      resource: this.path.slice(1),
      query,
      signal,
      pages: () => this.#pages(query, signal && { signal }),
      keyOf: (record) => this.keys.map((key) => record[key]).join(),
    });
  }

  async get(target: Key | Item, query: Query = {}, options?: CallOptions): Promise<Item> {
    return this.#record("GET", this.#at(target), { ...options, query });
  }

  create(body: object, options?: CallOptions): Promise<Item> {
    return this.#record("POST", undefined, { ...options, body });
  }

  /** A record that was read is changed only if it is the same still; a key changes whatever is there. */
  async update(target: Key | Item, body: object, options?: CallOptions): Promise<Item> {
    const ifMatch = await this.#tagOf(target);
    return this.#record("PATCH", this.#at(target), { ...options, body, ifMatch });
  }

  async delete(target: Key | Item, options?: CallOptions): Promise<unknown> {
    const ifMatch = await this.#tagOf(target);
    return (await this.transport.send("DELETE", this.#at(target), { ...options, ifMatch })).value;
  }

  async restore(target: Key | Item, options?: CallOptions): Promise<Item> {
    return this.#record("POST", this.#at(target), options, "/restore");
  }

  /** A transition, or another `POST` below the record. */
  async act(target: Key | Item, name: string, body?: object, options?: CallOptions): Promise<Item> {
    return this.#record("POST", this.#at(target), { ...options, body }, `/${name}`);
  }

  async history(target: Key | Item, query: Query = {}, options?: CallOptions): Promise<unknown> {
    return (await this.transport.send("GET", `${this.#at(target)}/history`, { ...options, query })).value;
  }

  /** Sends a request whose answer is a record, and remembers its version. */
  async #record(method: string, path: string | undefined, options: RequestOptions = {}, below = ""): Promise<Item> {
    const { value, etag } = await this.transport.send(method, (path ?? this.path) + below, options);
    const record = value as Item;
    if (record && isItem(record)) this.#versions.set(record, { path: path ?? this.#at(record), etag });
    return record;
  }

  /** The path of a record. */
  #at(target: Key | Item): string {
    const known = this.#versions.get(target as Item);
    if (known) return known.path;
    const parts = isItem(target) ? this.keys.map((key) => target[key]) : [target].flat();
    if (parts.includes(undefined)) throw new TypeError(`a record of ${this.path} has no ${this.keys.join(", ")}`);
    return `${this.path}/${parts.map((part) => encodeURIComponent(part as string)).join(",")}`;
  }

  /** The entity tag of the version that a record shows. Records of lists have none, and are read again. */
  async #tagOf(target: Key | Item): Promise<string | null> {
    if (!isItem(target)) return null;
    const known = this.#versions.get(target);
    if (known) return known.etag;
    const { value, etag } = await this.transport.send("GET", this.#at(target));
    if (!shows(value as Item, target)) throw outdated();
    return etag;
  }
}

function isItem(target: Key | Item): target is Item {
  return typeof target === "object" && !Array.isArray(target);
}
