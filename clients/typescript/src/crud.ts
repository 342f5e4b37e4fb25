import { lazyEvents } from "./events/lazy.js";
import type { EventTiming } from "./events/timing.js";
import { Resource } from "./resource.js";
import { createSession } from "./session.js";
import type { Fetch, Session, SessionOptions } from "./session.js";
import { Transport } from "./transport.js";
import type { RequestOptions } from "./transport.js";
import type { ResourcesOf } from "./types.js";

export interface CrudOptions extends SessionOptions {
  /** Sends the requests in place of a session of the client's. */
  fetch?: Fetch;
  /** A session that the program has already. */
  session?: Session;
  /** The fields of keys with another name than `id`, or of several fields, by resource: `{ members: ["team", "user"] }`. */
  keys?: Record<string, string | readonly string[]>;
  /**
   * Names the user whom `fetch` sends requests of: tabs of equal names share one stream of events. Without it, tabs share a
   * stream if their sessions have the same user with the same rights, and none if the client has a `fetch`.
   */
  share?: string;
  /** Times of a stream of events. */
  timing?: Partial<EventTiming>;
}

/** What a client has beside its resources. */
export interface CrudService {
  /** The session, which logs in and out. */
  readonly $session: Session;
  /**
   * Sends any request, such as one of a route of your own, and returns the JSON of its answer.
   *
   * @throws CrudError of a failed request.
   */
  $request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<T>;
}

/** A service by its document: its resources are properties. */
export type Crud<Paths> = ResourcesOf<Paths> & CrudService;

/**
 * A client of the service at `url`, such as `https://shop.example` or `/api`. `Paths` are the types that openapi-typescript
 * writes of the service's document.
 *
 * ```ts
 * const crud = createCrud<paths>("/api");
 * await crud.$session.login("ann", password);
 * for await (const product of crud.products.each({ price__gt: 5 })) console.log(product.name);
 * ```
 */
export function createCrud<Paths>(url: string, options: CrudOptions = {}): Crud<Paths> {
  const session = options.session ?? createSession(url, options);
  const fetch = options.fetch ?? session.fetch;
  const transport = new Transport(session.url, fetch);
  const share = () => options.share ?? (options.fetch ? null : session.identity());
  const events = lazyEvents({ url: session.url, fetch, timing: options.timing ?? {} }, share);
  session.onChange(events.end);
  const service: CrudService = {
    $session: session,
    $request: async <T>(method: string, path: string, request?: RequestOptions) =>
      (await transport.send(method, path, request)).value as T,
  };
  const known = new Map<string, Resource>();
  const resource = (name: string): Resource => {
    const made = known.get(name) ?? new Resource(transport, `/${name}`, [options.keys?.[name] ?? "id"].flat(), events);
    known.set(name, made);
    return made;
  };
  const find = (name: string | symbol): unknown => {
    // A promise is asked for `then` when it is awaited: a client is none.
    if (typeof name === "symbol" || name === "then") return undefined;
    return name in service ? service[name as keyof CrudService] : resource(name);
  };
  return new Proxy({}, { get: (_, name) => find(name) }) as Crud<Paths>;
}
