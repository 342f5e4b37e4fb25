// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, inject, test, vi } from "vitest";

import { createSession, crudAuthProvider, crudDataProvider } from "../src/index.js";
import type { SessionOptions } from "../src/index.js";
import { failure } from "./support.js";

const url = inject("shop");
const password = inject("password");
const key = `crud-session ${url}`;
let requests: string[];

beforeEach(() => {
  sessionStorage.clear();
  requests = [];
  const real = globalThis.fetch;
  vi.stubGlobal("fetch", (target: string, init?: RequestInit) => {
    requests.push(target.slice(url.length));
    return real(target, init);
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** `admin`, logged in. */
async function admin(options: SessionOptions = {}) {
  const session = createSession(url, options);
  const auth = crudAuthProvider(session);
  await auth.login({ username: "admin", password });
  requests.length = 0;
  return { session, auth, provider: crudDataProvider(url, { fetch: session.fetch }) };
}

/** Changes the stored tokens. */
function tamper(change: object) {
  sessionStorage.setItem(key, JSON.stringify({ ...JSON.parse(sessionStorage.getItem(key)!), ...change }));
}

describe("login and logout", () => {
  test("a user who is logged in has an identity and roles", async () => {
    const { auth } = await admin();
    await auth.checkAuth({});
    expect(await auth.getIdentity!()).toEqual({ id: "1", fullName: "admin" });
    expect(await auth.getPermissions!({})).toEqual(["admin"]);
  });

  test("a wrong password is refused with the service's reason", async () => {
    const auth = crudAuthProvider(createSession(url));
    const error = await failure(auth.login({ username: "admin", password: "wrong horse" }));
    expect(error).toMatchObject({ status: 401, body: { code: "invalid_credentials" } });
    await expect(auth.checkAuth({})).rejects.toThrow();
    expect(await auth.getPermissions!({})).toEqual([]);
  });

  test("after a logout there are no tokens", async () => {
    const { auth, session } = await admin({ storage: "session" });
    expect(sessionStorage.getItem(key)).not.toBeNull();
    await auth.logout({});
    expect(sessionStorage.getItem(key)).toBeNull();
    expect(session.username()).toBeNull();
    await expect(auth.checkAuth({})).rejects.toThrow();
    expect(requests).toEqual([]);
  });

  test("a logout is sent to services that have one, and succeeds for the user in any case", async () => {
    const { auth } = await admin({ logout: true });
    await auth.logout({});
    expect(requests).toEqual(["/auth/logout"]);
  });
});

describe("storage", () => {
  test("tokens in memory are in no storage", async () => {
    await admin();
    expect(sessionStorage).toHaveLength(0);
    await expect(crudAuthProvider(createSession(url)).checkAuth({})).rejects.toThrow();
  });

  test("tokens in sessionStorage outlive a reload of the page", async () => {
    await admin({ storage: "session" });
    const auth = crudAuthProvider(createSession(url, { storage: "session" }));
    await auth.checkAuth({});
    expect(await auth.getPermissions!({})).toEqual(["admin"]);
  });
});

describe("refresh", () => {
  test("comes before the token expires, once for requests at the same time", async () => {
    const { auth } = await admin();
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 895_000);
    await Promise.all([auth.getIdentity!(), auth.getIdentity!(), auth.getPermissions!({})]);
    expect(requests.filter((path) => path === "/auth/refresh")).toHaveLength(1);
    expect(requests.filter((path) => path === "/profile")).toHaveLength(3);
    await auth.getIdentity!();
    expect(requests.filter((path) => path === "/auth/refresh")).toHaveLength(1);
  });

  test("comes after 401, and the request is sent again", async () => {
    const { auth } = await admin({ storage: "session" });
    tamper({ access: "not.a.token" });
    await Promise.all([auth.getIdentity!(), auth.getPermissions!({})]);
    expect(requests.filter((path) => path === "/auth/refresh")).toHaveLength(1);
    expect(requests.filter((path) => path === "/profile")).toHaveLength(4);
  });

  test("that is refused ends the session", async () => {
    const { auth, provider } = await admin({ storage: "session" });
    tamper({ access: "not.a.token", refresh: "neither" });
    const error = await failure(provider.create("categories", { data: { name: "x" } }));
    expect(error.status).toBe(401);
    await expect(auth.checkError(error)).rejects.toThrow();
    expect(sessionStorage.getItem(key)).toBeNull();
  });

  test("that fails otherwise keeps the session", async () => {
    const { auth, session } = await admin({ storage: "session" });
    tamper({ expires: 0 });
    const real = globalThis.fetch;
    vi.stubGlobal("fetch", async () => new Response(null, { status: 503, statusText: "Service Unavailable" }));
    expect((await failure(auth.getIdentity!())).status).toBe(503);
    vi.stubGlobal("fetch", real);
    expect(session.username()).toBe("admin");
    expect(await auth.getIdentity!()).toMatchObject({ fullName: "admin" });
  });
});

test("an error other than 401 logs no user out", async () => {
  const { auth } = await admin();
  for (const status of [403, 404, 412, 422, 500, undefined]) await auth.checkError({ status });
});
