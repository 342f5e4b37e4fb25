import type { Fetch } from "@crud-runtime/client";
import { integer, stringify } from "@crud-runtime/client/wire";
import type { Identifier, RaRecord } from "ra-core";

import { parseAnswer } from "./problem.js";
import { withTimes } from "./times.js";

/** How a resource differs from the usual. */
export interface ResourceSettings {
  /** The path below the service's URL. The resource's name if absent. */
  path?: string;
  /** The name of the key field, or the names of several, in the order of paths. `id` if absent. */
  key?: string | string[];
  /** The resource's `max_limit`, in records; longer pages take several requests. 100 if absent. */
  maxLimit?: number;
  /** How many records a batch takes, or `false` for a resource without batches. 100 if absent. */
  batch?: number | false;
  /** `false` for a list that has no `sort`, such as `audit-logs`. */
  sort?: false;
  /** The `i64` fields whose values may be beyond 2^53: they are text in forms, and sent as numbers. */
  integers?: string[];
}

/** A record as the service has it: its key may have another name than `id`. */
export type Item = Record<string, unknown>;

/** Query parameters, in order. */
export type Query = [string, string][];

/** The body of an answer, and its entity tag. */
export interface Answered<T> {
  value: T;
  etag: string | null;
}

/** The routes of one resource. */
export class Endpoint {
  /** The fields of the key. */
  readonly keys: string[];
  readonly maxLimit: number;
  readonly batch: number | false;
  readonly hasSort: boolean;
  readonly #url: string;
  readonly #integers: string[];
  readonly #fetch: Fetch;

  constructor(url: string, resource: string, settings: ResourceSettings, send: Fetch) {
    this.keys = [settings.key ?? "id"].flat();
    this.maxLimit = settings.maxLimit ?? 100;
    this.batch = settings.batch ?? 100;
    this.hasSort = settings.sort ?? true;
    this.#url = `${url.replace(/\/$/, "")}/${settings.path ?? resource}`;
    this.#integers = settings.integers ?? [];
    this.#fetch = send;
  }

  get<T>(path: string, query: Query = [], signal?: AbortSignal): Promise<Answered<T>> {
    return this.#request(path, query, undefined, signal ? { signal } : {});
  }

  send<T>(method: string, path: string, body?: unknown, etag?: string | null) {
    const headers: Record<string, string> = {};
    if (body !== undefined) headers["content-type"] = "application/json";
    if (etag) headers["if-match"] = etag;
    return this.#request<T>(path, [], body, { method, headers });
  }

  /** The name of the parameter that lists keys, without its operator. */
  get key(): string {
    return this.isComposite ? "id" : (this.keys[0] as string);
  }

  /** Whether the key has several fields: its `id` is the text of its path, such as `7,3`. */
  get isComposite(): boolean {
    return this.keys.length > 1;
  }

  /** A record as react-admin takes it: with an `id`. */
  record(item: Item): RaRecord {
    const parts = this.keys.map((key) => item[key]);
    return { ...item, id: this.isComposite ? parts.map((part) => encodeURIComponent(String(part))).join(",") : (parts[0] as Identifier) };
  }

  /** The fields of a record as the service takes them. */
  fields(record: Item): Item {
    const own = Object.entries(record).filter(([field]) => field !== "id" || this.keys.includes("id"));
    return Object.fromEntries(own.map(([field, value]) => [field, this.#value(field, value)]));
  }

  /** A key as a body has it. */
  keyOf(id: Identifier): unknown {
    return this.isComposite ? id : this.#value(this.key, id);
  }

  #value(field: string, value: unknown): unknown {
    return this.#integers.includes(field) ? integer(value) : value;
  }

  /** Sends a request, and once more if the service refused times in the form that inputs have. */
  async #request<T>(path: string, query: Query, body: unknown, init: RequestInit): Promise<Answered<T>> {
    try {
      return await this.#once<T>(path, query, body, init);
    } catch (error) {
      const amended = withTimes(error, query, body);
      if (!amended) throw error;
      return this.#once<T>(path, amended.query, amended.body, init);
    }
  }

  async #once<T>(path: string, query: Query, body: unknown, init: RequestInit): Promise<Answered<T>> {
    const search = query.length > 0 ? `?${new URLSearchParams(query)}` : "";
    const content = body === undefined ? {} : { body: stringify(body) };
    const answer = await this.#fetch(this.#url + path + search, { ...init, ...content });
    // The service's tags are strong. A proxy that compresses weakens them, and `If-Match` would match nothing.
    const etag = answer.headers.get("etag")?.replace(/^W\//, "") ?? null;
    return { value: (await parseAnswer(answer)) as T, etag };
  }
}

/** The path of a record below its resource. */
export function at(id: Identifier): string {
  return `/${encodeURIComponent(id)}`;
}
