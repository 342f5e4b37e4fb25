// Requests to the service, with the caller's token.

import { parse, write } from "./json.js";

const page = document.getElementById("app").dataset.path;
/** The path that the service is mounted under, without a slash at its end. */
export const root = location.pathname.slice(0, location.pathname.length - page.length);
/** The path of the page's own routes. */
export const own = page;

/** A failed request: the service's problem (RFC 9457). */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {{ code?: string, detail?: string, errors?: object[], request_id?: string }} body
   */
  constructor(status, { code = "", detail = "", errors = [], request_id: requestId } = {}) {
    super(detail || `The service answered with status ${status}.`);
    Object.assign(this, { status, code, errors, requestId });
  }
}

/** The session: whether there are logins, the access token, and the time at which it ends. */
const session = { isOffered: false, token: null, until: 0, lost: () => {} };

/** Calls a function when the session has ended. */
export function onSessionEnd(lost) {
  session.lost = lost;
}

export const hasSession = () => session.isOffered;
export const isLoggedIn = () => session.token !== null;

async function session_(name, body, headers = {}) {
  const json = body ? { "content-type": "application/json" } : {};
  /** @type {RequestInit} */
  const init = {
    method: "POST", headers: { ...json, ...headers }, body: body && write(body), credentials: "same-origin",
  };
  const answer = await fetch(`${root}${own}/session/${name}`, init);
  return { status: answer.status, value: await readBody(answer) };
}

async function readBody(answer) {
  const text = await answer.text();
  try {
    return text ? parse(text) : null;
  } catch {
    // The page of a proxy, for example.
    return { detail: `The service answered with status ${answer.status}, and not in JSON.` };
  }
}

function accept({ status, value }) {
  if (status !== 200) throw new Problem(status, value ?? {});
  session.token = value.access_token;
  session.until = Date.now() + value.expires_in * 1000;
}

/** One refresh at a time in all tabs: with rotation, a token is good once. */
const alone = (work) => (navigator.locks ? navigator.locks.request("crud-admin", work) : work());

/** Takes up the session of the cookie, if there is one. */
export async function resume() {
  const answer = await alone(() => session_("refresh"));
  session.isOffered = answer.status !== 404 && answer.status !== 405;
  if (answer.status === 200) accept(answer);
}

export async function logIn(username, password) {
  accept(await session_("login", { username, password }));
}

/** Takes up the session of another tenant. */
export async function changeTenant(tenant) {
  accept(await session_("tenant", { tenant }, authorization()));
}

export async function logOut() {
  await session_("logout", null, authorization());
  session.token = null;
}

async function refresh() {
  const before = session.token;
  await alone(async () => {
    if (session.token !== before) return;
    const answer = await session_("refresh");
    if (answer.status === 200) accept(answer);
    else session.token = null;
  });
  if (session.token === null) session.lost();
}

const authorization = () => (session.token ? { authorization: `Bearer ${session.token}` } : {});

/** Query parameters as a text, without those that are null or empty: the service refuses an empty filter. */
export function queryText(query) {
  const pairs = (Array.isArray(query) ? query : Object.entries(query ?? {}))
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => [name, String(value)]);
  const text = new URLSearchParams(pairs).toString();
  return text && `?${text}`;
}

/**
 * The parts of a request: `body` is written as JSON, unless `type` says what it is.
 *
 * @typedef {{ query?: any, body?: any, type?: string, headers?: object, signal?: AbortSignal }} Options
 */

/**
 * Sends a request, and returns the fetch API's response, whatever its status.
 *
 * @param {string} method
 * @param {string} path
 * @param {Options} options
 */
export async function send(method, path, { query, body, type, headers = {}, signal } = {}) {
  if (session.token && Date.now() > session.until - 20_000) await refresh();
  const attempt = () =>
    fetch(root + path + queryText(query), {
      method,
      signal,
      headers: { ...(body !== undefined && { "content-type": type ?? "application/json" }), ...authorization(),
        ...headers },
      body: body === undefined ? undefined : type ? body : write(body),
    });
  const answer = await attempt();
  if (answer.status !== 401 || !session.token) return answer;
  await refresh();
  return session.token ? attempt() : answer;
}

/**
 * Sends a request, and returns its parsed answer.
 *
 * @param {string} method
 * @param {string} path
 * @param {Options} [options]
 * @throws Problem
 */
export async function call(method, path, options) {
  let answer;
  try {
    answer = await send(method, path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0,
      { code: "offline", detail: "The service cannot be reached. Check the connection, then try again." });
  }
  const value = await readBody(answer);
  if (!answer.ok) throw new Problem(answer.status, value ?? {});
  // A proxy that compresses makes tags weak, which `If-Match` does not take.
  return { status: answer.status, value, etag: answer.headers.get("etag")?.replace(/^W\/|-gzip(?="$)/g, "") ?? null };
}

export const get = (path, query, signal) => call("GET", path, { query, signal });

/** Saves the answer of a request as a file. */
export async function download(path, query, name) {
  const answer = await send("GET", path, { query });
  if (!answer.ok) throw new Problem(answer.status, (await readBody(answer)) ?? {});
  const url = URL.createObjectURL(await answer.blob());
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
