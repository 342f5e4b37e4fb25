import type { HttpError } from "ra-core";
import { inject } from "vitest";

import { createSession, crudDataProvider } from "../src/index.js";
import type { DataProviderOptions } from "../src/index.js";

/** A request that was sent. */
export interface Sent {
  method: string;
  /** The path and the query, decoded. */
  target: string;
  headers: Headers;
  body: string | undefined;
}

/** A data provider of the running shop, for which `admin` is logged in, and the requests that it sends. */
export async function shopProvider(resources: DataProviderOptions["resources"] = {}) {
  const url = inject("shop");
  const session = createSession(url);
  await session.login("admin", inject("password"));
  const sent: Sent[] = [];
  const provider = crudDataProvider(url, {
    resources,
    fetch(target, init) {
      sent.push({
        method: init?.method ?? "GET",
        target: decodeURIComponent(target.slice(url.length)),
        headers: new Headers(init?.headers),
        body: init?.body as string | undefined,
      });
      return session.fetch(target, init);
    },
  });
  return { provider, sent, session };
}

/** The error that a promise is rejected with. */
export async function failure(promise: Promise<unknown>): Promise<HttpError> {
  const outcome = await promise.then(() => null, (error: HttpError) => error);
  if (!outcome) throw new Error("this was to fail");
  return outcome;
}

/** A name that no other record has. */
export function unique(prefix: string): string {
  return `${prefix} ${crypto.randomUUID()}`;
}
