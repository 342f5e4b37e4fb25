import { stringify } from "./json.js";
import { parseAnswer } from "./problem.js";
import { queryString } from "./query.js";
import type { Query } from "./query.js";
import type { Fetch } from "./session.js";

/** What a request has beside its method and its path. */
export interface RequestOptions {
  query?: Query | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /** The entity tag of the version that a change requires. */
  ifMatch?: string | null;
  headers?: Record<string, string> | undefined;
  signal?: AbortSignal | undefined;
}

/** The body of an answer, its entity tag, and the mark of the events that it may not show yet. */
export interface Answered {
  value: unknown;
  etag: string | null;
  mark: string | null;
}

/** Sends requests of JSON to a service. */
export class Transport {
  constructor(
    /** The service's URL, without a slash at its end. */
    readonly url: string,
    private readonly fetch: Fetch,
  ) {}

  /** @throws CrudError of a failed request. */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<Answered> {
    const { query = {}, body, ifMatch, signal } = options;
    const headers = new Headers(options.headers);
    const init: RequestInit = { method, headers, signal: signal as AbortSignal };
    if (body !== undefined) {
      headers.set("content-type", "application/json");
      init.body = stringify(body);
    }
    if (ifMatch) headers.set("if-match", ifMatch);
    const answer = await this.fetch(this.url + path + queryString(query), init);
    // The service's tags are strong. A proxy that compresses weakens them, and `If-Match` would match nothing.
    const etag = answer.headers.get("etag")?.replace(/^W\//, "") ?? null;
    return { value: await parseAnswer(answer), etag, mark: answer.headers.get("events-after") };
  }
}
