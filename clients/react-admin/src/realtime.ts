import type { ResourceEvent } from "@crud-runtime/client";
import type { Identifier } from "ra-core";

import type { Item } from "./endpoint.js";

/** A change, as ra-realtime has it. */
export interface RealtimeEvent {
  topic: string;
  type: "created" | "updated" | "deleted";
  payload: { ids: Identifier[] };
  date: Date;
}

type Subscriber = (event: RealtimeEvent) => void;

/** The methods of a data provider that the hooks of ra-realtime call, such as `useGetListLive`. */
export interface RealtimeMethods {
  /** Follows `resource/products`, or `resource/products/7`. */
  subscribe(topic: string, subscriber: Subscriber): Promise<{ data: null }>;
  unsubscribe(topic: string, subscriber: Subscriber): Promise<{ data: null }>;
  /** Does nothing: the service tells each change itself. */
  publish(topic: string, event: object): Promise<{ data: null }>;
}

interface Followed {
  events(query: object, options: { signal: AbortSignal }): AsyncIterable<ResourceEvent<Item>>;
}

/**
 * Methods that follow a service's events by a client of `@crud-runtime/client`:
 *
 * ```ts
 * const session = createSession("/api");
 * const dataProvider = {
 *   ...crudDataProvider("/api", { fetch: session.fetch }),
 *   ...realtimeMethods(createCrud("/api", { session })),
 * };
 * ```
 */
export function realtimeMethods(crud: object): RealtimeMethods {
  const open = new Map<Subscriber, Map<string, AbortController>>();

  async function follow(topic: string, subscriber: Subscriber, signal: AbortSignal): Promise<void> {
    const [, resource = "", id] = /^resource\/(.+?)(?:\/([^/]+))?$/.exec(topic) ?? [];
    const followed = (crud as Record<string, Followed>)[resource]!;
    for await (const event of followed.events({}, { signal })) {
      const key = event.type === "reset" ? undefined : String((event as { record_id: Identifier }).record_id);
      if (key === undefined || id === undefined || key === decodeURIComponent(id)) subscriber(told(topic, event));
    }
  }

  return {
    async subscribe(topic, subscriber) {
      const stop = new AbortController();
      open.set(subscriber, (open.get(subscriber) ?? new Map()).set(topic, stop));
      follow(topic, subscriber, stop.signal).catch((error: unknown) => console.warn(`${topic} is not followed:`, error));
      return { data: null };
    },
    async unsubscribe(topic, subscriber) {
      open.get(subscriber)?.get(topic)?.abort();
      open.get(subscriber)?.delete(topic);
      return { data: null };
    },
    publish: async () => ({ data: null }),
  };
}

/** A change in ra-realtime's words. After a reset, any record may have changed. */
function told(topic: string, event: ResourceEvent<Item>): RealtimeEvent {
  const type = /\.created$/.test(event.type) ? "created" : /\.removed$/.test(event.type) ? "deleted" : "updated";
  const ids = "record_id" in event ? [event.record_id] : [];
  return { topic, type, payload: { ids }, date: new Date() };
}
