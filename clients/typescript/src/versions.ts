import { isSame } from "./json.js";
import { problem } from "./problem.js";
import type { CrudError } from "./problem.js";

/** A record as JSON has it. */
export type Item = Record<string, unknown>;

/** Where a record is, and which version of it was read. */
export interface Version {
  path: string;
  etag: string | null;
}

/** Whether a record that was read shows what another one does. What only one of them has, such as an expanded reference, says nothing. */
export function shows(read: Item, shown: Item): boolean {
  return Object.entries(read).every(([field, value]) => !(field in shown) || isSame(value, shown[field]));
}

/** The record is not the one that the program has: the service's 412, found before the request. */
export function outdated(): CrudError {
  return problem(412, "precondition_failed", "Precondition Failed", "the record has changed since it was read");
}
