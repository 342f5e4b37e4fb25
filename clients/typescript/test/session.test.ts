import { afterEach, expect, test, vi } from "vitest";

import { createSession } from "../src/index.js";
import type { Session } from "../src/index.js";

/** A service of sessions: what was asked, and answers that a test may hold back. */
function service() {
  const asked: string[] = [];
  let held: Promise<void> | undefined;
  let release = () => {};
  const grants: Record<string, string> = {
    "/auth/login": "login",
    "/auth/refresh": "refresh",
    "/auth/tenant": "tenant",
  };
  const answer = (body: object, status = 200) => new Response(JSON.stringify(body), { status });
  const refused = () => answer({ status: 401, code: "invalid_token", title: "Unauthorized", detail: "no" }, 401);
  const state = {
    asked,
    /** The lifetime of tokens in seconds. */
    expires: 600,
    /** Whether refresh tokens are refused. */
    refuses: false,
    /** Holds the next answer to a path back until the returned function is called. */
    hold(path: string) {
      held = new Promise<void>((resolve) => (release = resolve));
      state.holds = path;
      return () => release();
    },
    holds: "",
  };
  vi.stubGlobal("fetch", async (url: string, init: RequestInit = {}) => {
    const path = url.slice("/api".length);
    const token = new Headers(init.headers).get("authorization")?.replace("Bearer ", "");
    asked.push(token ? `${path} ${token}` : path);
    const body = JSON.parse((init.body as string | undefined) ?? "{}") as Record<string, string>;
    if (path === state.holds) {
      state.holds = "";
      await held;
    }
    if (path === "/auth/refresh" && state.refuses) return refused();
    if (path in grants) {
      const of = body.username ?? body.refresh_token ?? token;
      const name = `${of}>${grants[path]}`;
      return answer({ access_token: name, refresh_token: name, expires_in: state.expires });
    }
    return answer({});
  });
  return state;
}

afterEach(() => void vi.unstubAllGlobals());

test("a user who logs out while the token is refreshed stays logged out", async () => {
  const shop = service();
  const session = createSession("/api");
  shop.expires = 1;
  await session.login("ann", "x");
  const release = shop.hold("/auth/refresh");
  const request = session.fetch("/api/products");
  await session.logout();
  release();
  await request;
  expect(session.username()).toBeNull();
  expect(shop.asked).toEqual(["/auth/login", "/auth/refresh", "/products"]);
});

test("a refresh for a former user, refused or not, does not change the session of the next one", async () => {
  for (const refuses of [false, true]) {
    const shop = service();
    const session = createSession("/api");
    shop.expires = 1;
    await session.login("ann", "x");
    const release = shop.hold("/auth/refresh");
    const request = session.fetch("/api/products");
    shop.expires = 600;
    await session.login("bob", "x");
    shop.refuses = refuses;
    release();
    await request;
    expect(session.username()).toBe("bob");
    expect(shop.asked.at(-1)).toBe("/products bob>login");
  }
});

test("a user who logs out while a tenant is entered stays logged out", async () => {
  const shop = service();
  const session = createSession("/api");
  await session.login("ann", "x");
  const release = shop.hold("/auth/tenant");
  const entered = session.enter(7);
  await session.logout();
  release();
  await entered;
  expect(session.username()).toBeNull();
});

test("a logout ends the session of an access token that has expired", async () => {
  const shop = service();
  const session = createSession("/api", { logout: true });
  shop.expires = 1;
  await session.login("ann", "x");
  await session.logout();
  expect(shop.asked).toEqual(["/auth/login", "/auth/refresh", "/auth/logout ann>login>refresh"]);
  expect(session.username()).toBeNull();
});

test("a duplicated tab takes the tokens that the first one has refreshed, and no others", async () => {
  const shop = service();
  const tabs: Record<string, string>[] = [{}, {}];
  const open = (tab: number) => vi.stubGlobal("sessionStorage", tabs[tab]);
  open(0);
  const [first, copy] = [0, 1].map(() => createSession("/api", { storage: "session" })) as [Session, Session];
  shop.expires = 1;
  await first.login("ann", "x");
  Object.assign(tabs[1]!, tabs[0]);
  shop.expires = 600;
  await first.fetch("/api/products");
  open(1);
  await vi.waitFor(() => expect(tabs[1]).toEqual(tabs[0]));
  await copy.fetch("/api/products");
  const products = "/products ann>login>refresh";
  expect(shop.asked).toEqual(["/auth/login", "/auth/refresh", products, products]);
  // Its own tenant and its own user stay those of the tab.
  await copy.enter(2);
  open(0);
  await first.fetch("/api/products");
  expect(shop.asked.at(-1)).toBe(products);
});
