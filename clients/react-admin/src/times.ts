import type { ProblemPlace } from "@crud-runtime/client";
import { HttpError } from "ra-core";

import type { Item, Query } from "./endpoint.js";

/** What `<input type="datetime-local">` writes, and so react-admin's `DateTimeInput`: `2026-11-29T10:00`. */
const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/;
/** The example in the service's refusal of a value that is not a date and time in UTC. */
const WANTS_UTC = /\d\d:\d\d:\d\dZ/;
/** The same for a date and time without a zone, which needs its seconds. */
const WANTS_SECONDS = /T\d\d:\d\d:\d\d/;

/** A request as it is sent again: the times that the service refused are in the form that it wants. */
export interface Amended {
  query: Query;
  body: unknown;
}

/**
 * The request with the local times that a 422 refuses, in the form that the refusal's example has: `2026-11-29T10:00` is
 * `2026-11-29T09:00:00.000Z` in Berlin. `undefined` if the refusal is about other values.
 *
 * The service knows which fields are times and which are texts that look like one.
 */
export function withTimes(error: unknown, query: Query, body: unknown): Amended | undefined {
  if (!(error instanceof HttpError) || error.status !== 422) return undefined;
  let amended = false;
  const inForm = (value: unknown, { detail }: ProblemPlace): unknown => {
    const text = typeof value === "string" && LOCAL.test(value) ? inTheFormOf(detail, value) : undefined;
    amended ||= text !== undefined;
    return text ?? value;
  };
  const copy = body === undefined ? undefined : structuredClone(body);
  const parameters = query.map(([name, value]): [string, string] => [name, value]);
  for (const entry of (error.body?.entries ?? []) as ProblemPlace[]) {
    if (entry.pointer !== undefined) replaceAt(itemOf(copy, entry), entry.pointer, (value) => inForm(value, entry));
    for (const parameter of parameters) {
      if (parameter[0] === entry.parameter) parameter[1] = String(inForm(parameter[1], entry));
    }
  }
  return amended ? { query: parameters, body: copy } : undefined;
}

/**
 * Whether a form's value is the stored time as a `DateTimeInput` shows it: to the minute, in the browser's zone. Such an
 * input writes its text when it loses the focus, and the seconds would be lost by a save that changed something else.
 */
export function isShownTime(value: unknown, stored: unknown): boolean {
  if (typeof value !== "string" || typeof stored !== "string" || !LOCAL.test(value)) return false;
  const [shown, kept] = [new Date(value), new Date(stored)];
  kept.setSeconds(0, 0);
  return shown.getTime() === kept.getTime();
}

function inTheFormOf(detail: string, local: string): string | undefined {
  if (WANTS_UTC.test(detail)) return new Date(local).toISOString();
  if (WANTS_SECONDS.test(detail) && local.length === "2026-11-29T10:00".length) return `${local}:00`;
  return undefined;
}

/** What an entry's pointer is relative to: the body, or an item of a batch. */
function itemOf(body: unknown, { index }: ProblemPlace): unknown {
  if (index === undefined) return body;
  return (body as { items?: unknown[] } | undefined)?.items?.[index];
}

/** Replaces the value at a JSON Pointer (RFC 6901) in place. What is not there stays so. */
function replaceAt(document: unknown, pointer: string, replace: (value: unknown) => unknown): void {
  const names = pointer.split("/").slice(1).map((name) => name.replace(/~1/g, "/").replace(/~0/g, "~"));
  const last = names.pop();
  let parent = document;
  for (const name of names) parent = isObject(parent) ? parent[name] : undefined;
  if (last !== undefined && isObject(parent) && last in parent) parent[last] = replace(parent[last]);
}

/** Lists are objects too, whose members are numbered. */
function isObject(value: unknown): value is Item {
  return typeof value === "object" && value !== null;
}
