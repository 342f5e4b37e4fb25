import type { Query } from "../query.js";

/** Parameters of a list that are no filters. */
export const OTHERS = [
  "sort",
  "where",
  "limit",
  "skip",
  "cursor",
  "fields",
  "expand",
  "q",
  "include_deleted",
  "only_deleted",
];

/** The condition in JSON of a list's filters. */
export function conditionOf({ where, ...query }: Query): object {
  const filters = Object.entries(query).filter(([name, value]) => !OTHERS.includes(name) && value !== undefined);
  const condition = typeof where === "string" ? (JSON.parse(where) as unknown) : where;
  return { ...Object.fromEntries(filters), ...(condition !== undefined && { and: [condition] }) };
}
