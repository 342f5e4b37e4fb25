import { inject } from "vitest";

import { createCrud, createSession } from "../src/index.js";
import type { Fetch } from "../src/index.js";
import type { paths } from "./api.js";

/** A request that was sent. */
export interface Sent {
  method: string;
  /** The path and the query, decoded. */
  target: string;
  headers: Headers;
  body: string | undefined;
}

/** A `fetch` that remembers its requests. */
export function recorded(url: string, send: Fetch): { sent: Sent[]; fetch: Fetch } {
  const sent: Sent[] = [];
  return {
    sent,
    fetch(target, init) {
      sent.push({
        method: init?.method ?? "GET",
        target: decodeURIComponent(target.slice(url.length)),
        headers: new Headers(init?.headers),
        body: init?.body as string | undefined,
      });
      return send(target, init);
    },
  };
}

/** A client of the running shop, for which `admin` is logged in, and the requests that it sends. */
export async function shopClient() {
  const url = inject("shop");
  const session = createSession(url);
  await session.login("admin", inject("password"));
  const { sent, fetch } = recorded(url, session.fetch);
  return { crud: createCrud<paths>(url, { session, fetch }), sent, session };
}

/** A name that no other record has. */
export function unique(prefix: string): string {
  return `${prefix} ${crypto.randomUUID()}`;
}

/** Waits until a condition holds: for long, because a busy machine is no fault. */
export async function until(holds: () => boolean | Promise<boolean>, seconds = 30): Promise<void> {
  for (const end = Date.now() + seconds * 1000; !(await holds()); ) {
    if (Date.now() > end) throw new Error(`not within ${seconds} seconds: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
