import { isSame } from "@crud-runtime/client/wire";
import type { Identifier } from "ra-core";

/** A record, and the entity tag of the version that it is. */
export interface Version {
  record: Record<string, unknown>;
  etag: string | null;
}

/** How many versions are remembered: far more than are open in forms at a time. */
const CAPACITY = 200;

/** The versions of records that were read last. */
export class Versions {
  readonly #known = new Map<string, Version>();

  remember(resource: string, id: Identifier, version: Version): void {
    const key = `${resource}/${id}`;
    this.#known.delete(key);
    this.#known.set(key, version);
    const [oldest] = this.#known.keys();
    if (this.#known.size > CAPACITY && oldest !== undefined) this.#known.delete(oldest);
  }

  /** The remembered version, if it is the one that `record` shows. */
  find(resource: string, id: Identifier, record: Record<string, unknown>): Version | undefined {
    const version = this.#known.get(`${resource}/${id}`);
    return version && isVersionOf(version, record) ? version : undefined;
  }
}

/** Whether a record shows this version. What only one of the two has, such as an expanded reference, says nothing. */
export function isVersionOf(version: Version, record: Record<string, unknown>): boolean {
  return Object.entries(version.record).every(([field, value]) => !(field in record) || isSame(value, record[field]));
}
