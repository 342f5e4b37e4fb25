import { parseAnswer } from "./problem.js";
import type { CrudError } from "./problem.js";
import { memoryTokens, sessionTokens } from "./tokens.js";
import { identityOf } from "./tokens.js";
import type { Tokens } from "./tokens.js";

/** Sends a request, as the global `fetch` does. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

export interface SessionOptions {
  /**
   * Where the tokens are: in `memory` a reload of the page ends the session, in `session` (`sessionStorage`) the end of
   * the tab does. Scripts of the page can read the latter. `memory` if absent.
   */
  storage?: "memory" | "session";
  /** Whether the service has `POST /auth/logout`, which ends the session there. `false` if absent. */
  logout?: boolean;
}

interface Grant {
  access_token: string;
  refresh_token: string;
  /** In seconds. */
  expires_in: number;
}

/** A refresh token, and the tokens that came for it; `null` if it was refused. */
type Renewal = [string, Tokens | null];

/** How long before its expiry an access token is refreshed, in milliseconds. */
const MARGIN = 10_000;

/** The tokens of the user that is logged in, and a `fetch` that sends them. */
export interface Session {
  login(username: string, password: string): Promise<void>;
  logout(): Promise<void>;
  /** Enters another tenant of the user by `POST /auth/tenant`. Views that are followed begin anew there. */
  enter(tenant: string | number): Promise<void>;
  /** The name that the user logged in with, or `null`. */
  username(): string | null;
  /** The user and the user's rights, as text: equal in tabs of the same user. `null` if the token does not tell. */
  identity(): string | null;
  /** Calls a function whenever another user is logged in, or none, or the user has other rights. */
  onChange(listener: (isSameUser: boolean) => void): void;
  /** As the global `fetch`, with the access token. It is refreshed before it expires, and after an answer of 401. */
  fetch: Fetch;
  /** The service's URL. */
  url: string;
}

/** A session with the service at `url`, such as `https://shop.example` or `/api`. */
export function createSession(url: string, options: SessionOptions = {}): Session {
  const base = url.replace(/\/$/, "");
  const store = options.storage === "session" ? sessionTokens(`crud-session ${base}`) : memoryTokens();
  const { tabs } = store;
  let refreshing: Promise<void> | null = null;
  const identity = () => identityOf(store.get());
  const username = () => store.get()?.username ?? null;
  const listeners: ((isSameUser: boolean) => void)[] = [];

  function set(tokens: Tokens | null): void {
    const before = identity();
    const user = username();
    store.set(tokens);
    if (identity() !== before) for (const listener of listeners) listener(user === username());
  }

  async function grant(path: string, body: object, username: string, send: Fetch = fetch): Promise<Tokens> {
    const headers = { "content-type": "application/json" };
    const answer = await send(base + path, { method: "POST", headers, body: JSON.stringify(body) });
    const { access_token: access, refresh_token: refresh, expires_in } = (await parseAnswer(answer)) as Grant;
    return { access, refresh, expires: Date.now() + expires_in * 1000, username };
  }

  const isOver = ({ expires }: Tokens) => expires < Date.now() + MARGIN;

  const renewed = ({ refresh: refresh_token, username }: Tokens) => grant("/auth/refresh", { refresh_token }, username);

  /** Takes the answer to a refresh. Meanwhile, the user may have left, or another one may be logged in. */
  const take = ({ data: [refresh, next] }: { data: Renewal }) => {
    if (store.get()?.refresh === refresh) set(next);
  };

  // A duplicated tab begins with a copy of the tokens, and a refresh token may work once.
  if (tabs) tabs.onmessage = take;

  async function renew(old: Tokens): Promise<void> {
    const next = await renewed(old).catch((error: Partial<CrudError>) => {
      if (error.status !== 401) throw error;
      return null;
    });
    const data: Renewal = [old.refresh, next];
    take({ data });
    tabs?.postMessage(data);
  }

  /** One refresh at a time: a refresh token may work once. A refused one ends the session. */
  const refresh = (old: Tokens) => (refreshing ??= renew(old).finally(() => (refreshing = null)));

  /** Sends a request with the access token there is. */
  function send(url: string, init: RequestInit = {}, tokens = store.get()): Promise<Response> {
    const headers = new Headers(init.headers);
    if (tokens) headers.set("authorization", `Bearer ${tokens.access}`);
    return fetch(url, { ...init, headers });
  }

  async function fetchWithToken(url: string, init?: RequestInit): Promise<Response> {
    const before = store.get();
    if (before && isOver(before)) await refresh(before);
    const sent = store.get();
    const answer = await send(url, init, sent);
    if (answer.status !== 401 || !sent) return answer;
    // Another request may have refreshed the token meanwhile.
    if (store.get()?.access === sent.access) await refresh(sent);
    return store.get() ? send(url, init) : answer;
  }

  return {
    url: base,
    fetch: fetchWithToken,
    login: async (username, password) => set(await grant("/auth/login", { username, password }, username)),
    async enter(tenant) {
      const user = username();
      const tokens = await grant("/auth/tenant", { tenant }, user as string, fetchWithToken);
      if (username() === user) set(tokens);
    },
    username,
    identity,
    onChange: (listener) => void listeners.push(listener),
    async logout() {
      const tokens = store.get();
      set(null);
      if (!options.logout || !tokens) return;
      try {
        // The service ends no session for a token that has expired.
        const valid = isOver(tokens) ? await renewed(tokens) : tokens;
        await send(`${base}/auth/logout`, { method: "POST" }, valid);
      } catch {
        // The user leaves, whatever the service answers.
      }
    },
  };
}
