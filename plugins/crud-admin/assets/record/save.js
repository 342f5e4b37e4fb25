// Changes of records: what is sent, and where its errors belong.

import { call } from "../api.js";
import { isSame } from "../json.js";
import { recordPath } from "../schema.js";

/** A key by which the service knows a request that is sent again. */
export const newKey = () => crypto.randomUUID?.() ?? Array.from(crypto.getRandomValues(new Uint32Array(4))).join("-");

const headersOf = (resource, etag) => ({
  ...(etag && { "if-match": etag }),
  ...(resource.idempotent && { "idempotency-key": newKey() }),
});

/** The fields that differ from those of a record. */
export const changed = (draft, record) =>
  Object.fromEntries(Object.entries(draft).filter(([name, value]) => !isSame(value, record[name])));

export const create = (resource, body) => call("POST", resource.path, { body, headers: headersOf(resource) });

export const update = (resource, key, body, etag) =>
  call("PATCH", recordPath(resource, key), { body, headers: headersOf(resource, etag) });

export const transition = (resource, key, name, etag) =>
  call("POST", `${recordPath(resource, key)}/${name}`, { headers: headersOf(resource, etag) });

export const remove = (resource, key, etag) =>
  call("DELETE", recordPath(resource, key), { headers: headersOf(resource, etag) });

export const restore = (resource, key) =>
  call("POST", `${recordPath(resource, key)}/restore`, { headers: headersOf(resource) });

export const purge = (resource, key) =>
  call("DELETE", `${recordPath(resource, key)}/permanent`, { headers: headersOf(resource) });

/** The errors of a problem: by field, and those that belong to none. */
export function errorsOf(problem, fields) {
  const byField = {};
  const others = [];
  for (const { pointer, detail } of problem.errors ?? []) {
    const name = pointer?.split("/")[1]?.replaceAll("~1", "/").replaceAll("~0", "~");
    const below = pointer?.split("/").slice(2).join(" › ");
    const text = below ? `${below}: ${detail}` : detail;
    if (name && fields.some((field) => field.name === name)) byField[name] = byField[name] ? `${byField[name]}; ${text}`
      : text;
    else others.push(name ? `${name}: ${text}` : text);
  }
  if (others.length === 0 && Object.keys(byField).length === 0) others.push(problem.message);
  return { byField, others };
}
