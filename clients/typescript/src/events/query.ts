import type { Query } from "../query.js";

/** Parameters of a list that are no filters. */
const OTHERS = ["sort", "where", "limit", "skip", "cursor", "fields", "expand", "q", "include_deleted", "only_deleted"];

/** The condition in JSON of a list's filters. */
export function conditionOf({ where, ...query }: Query): object {
  const filters = Object.entries(query).filter(([name, value]) => !OTHERS.includes(name) && value !== undefined);
  const condition = typeof where === "string" ? (JSON.parse(where) as unknown) : where;
  return { ...Object.fromEntries(filters), ...(condition !== undefined && { and: [condition] }) };
}

/** Whether a list shows more than the filters and the sort keys say: a part of the records, or other fields. */
export function isPartial(query: Query): boolean {
  return OTHERS.slice(2).some((name) => query[name] !== undefined);
}

/** The sort keys of a list. */
export function sortOf({ sort = [] }: Query): string[] {
  return Array.isArray(sort) ? sort.map(String) : String(sort).split(",");
}
