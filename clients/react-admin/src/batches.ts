import type { ProblemPlace } from "@crud-runtime/client";
import { HttpError } from "ra-core";
import type { Identifier } from "ra-core";

import type { Endpoint } from "./endpoint.js";

interface Outcome {
  items: unknown[];
  failed?: number;
  errors?: ProblemPlace[];
}

/**
 * Changes records by batches, one after the other, or one by one where the resource has no batches.
 *
 * @throws HttpError of the first batch that fails, or fails in part; those before it are saved.
 */
export async function inBatches(
  endpoint: Endpoint,
  ids: Identifier[],
  batch: (ids: Identifier[]) => Promise<{ value: Outcome }>,
  single: (id: Identifier) => Promise<unknown>,
): Promise<{ data: Identifier[] }> {
  if (endpoint.batch === false) return oneByOne(ids, single);
  for (const some of chunks(ids, endpoint.batch)) requireAll(some, (await batch(some)).value);
  return { data: ids };
}

/** Changes records one after the other. */
export async function oneByOne(
  ids: Identifier[],
  single: (id: Identifier) => Promise<unknown>,
): Promise<{ data: Identifier[] }> {
  for (const id of ids) await single(id);
  return { data: ids };
}

/** Splits a list into ones of at most `size` members. */
export function chunks<T>(list: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}

/** A batch that is saved in part is an answer of status 207. */
function requireAll(ids: Identifier[], { items, errors = [] }: Outcome): void {
  const [first] = errors;
  if (!first) return;
  const details = errors.map(({ index, detail }) => `${ids[index ?? 0]}: ${detail}`);
  const message = `${items.length} of ${ids.length} records are saved. Not saved: ${details.join("; ")}`;
  throw new HttpError(message, first.status ?? 207, { code: first.code, detail: message });
}
