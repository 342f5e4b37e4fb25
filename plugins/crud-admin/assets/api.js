// Requests to the service, with the caller's token.

import { parse, write } from "./json.js";

const page = document.getElementById("app").dataset.path;
/** The path that the service is mounted under, without a slash at its end. */
export const root = location.pathname.slice(0, location.pathname.length - page.length);
/** The path of the page's own routes. */
export const own = page;

let textOf = (error) => error.detail;

/** Sets a function that returns the text of a mistake by its code and parameters, or nothing for the service's own. */
export function setErrorTexts(text) {
  textOf = text;
}

/** A failed request: the service's problem (RFC 9457). */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {{ code?: string, detail?: string, errors?: object[], request_id?: string }} body
   */
  constructor(status, { code = "", detail = "", errors = [], request_id: requestId } = {}) {
    super(detail || `The service answered with status ${status}.`);
    const inLanguage = (error) => ({ ...error, detail: textOf(error) ?? error.detail });
    Object.assign(this, { status, code, errors: errors.map(inLanguage), requestId });
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

const readBody = async (answer) => readText(await answer.text(), answer.status);

function readText(text, status) {
  try {
    return text ? parse(text) : null;
  } catch {
    // The page of a proxy, for example.
    return { detail: `The service answered with status ${status}, and not in JSON.` };
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
  const attempt = () =>
    fetch(root + path + queryText(query), {
      method,
      signal,
      headers: { ...(body !== undefined && { "content-type": type ?? "application/json" }), ...authorization(),
        ...headers },
      body: body === undefined ? undefined : type ? body : write(body),
    });
  return withSession(attempt);
}

/** An attempt with a token that is good for a while, and another one where the service refuses it all the same. */
async function withSession(attempt) {
  if (session.token && Date.now() > session.until - 20_000) await refresh();
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
  newestMark = answer.headers.get("events-after") ?? newestMark;
  return { status: answer.status, value, etag: strong(answer.headers.get("etag")) };
}

/** The mark of the last list: events after it are new to what is read now. */
let newestMark = null;
export const currentMark = () => newestMark;

/** A tag as `If-Match` takes it: a proxy that compresses makes tags weak. */
const strong = (etag) => etag?.replace(/^W\/|-gzip(?="$)/g, "") ?? null;

/**
 * Sends a file, and returns as `call` does. `progress` gets the share that is sent, from 0 to 1.
 *
 * @param {string} path
 * @param {File} file
 * @param {{ headers?: object, progress?: (share: number) => void, signal?: AbortSignal }} [options]
 * @throws Problem
 */
export async function upload(path, file, { headers = {}, progress = () => {}, signal } = {}) {
  // Characters of the name that the header cannot have, by RFC 8187.
  const name = encodeURIComponent(file.name.toWellFormed())
    .replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const attempt = () => put(root + path, file, {
    "content-type": file.type || "application/octet-stream",
    "content-disposition": `attachment; filename*=UTF-8''${name}`, ...authorization(), ...headers,
  }, progress, signal);
  const request = await withSession(attempt);
  const value = readText(request.responseText, request.status);
  if (request.status >= 300) throw new Problem(request.status, value ?? {});
  return { status: request.status, value, etag: strong(request.getResponseHeader("etag")) };
}

/**
 * A request that reports its progress, which `fetch` does not.
 *
 * @returns {Promise<XMLHttpRequest>}
 */
function put(url, file, headers, progress, signal) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    request.open("PUT", url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 1);
    request.onload = () => done(request);
    request.onabort = () => failed(new DOMException("cancelled", "AbortError"));
    request.onerror = () => failed(new Problem(0, { code: "offline",
      detail: "The connection ended before the file was sent. Check the connection, then try again." }));
    request.onloadend = () => signal?.removeEventListener("abort", stop);
    signal?.addEventListener("abort", stop);
    request.send(file);
  });
}

export const get = (path, query, signal) => call("GET", path, { query, signal });

/** Saves the answer of a request as a file. */
export async function download(path, query, name) {
  const answer = await send("GET", path, { query });
  if (!answer.ok) throw new Problem(answer.status, (await readBody(answer)) ?? {});
  const url = URL.createObjectURL(await answer.blob());
  follow(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Lets the browser save what a URL of this origin has. */
export const follow = (url, name) =>
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
