// Filters in words.

import { labelOf } from "../schema.js";
import { text } from "../format.js";
import { useTitle } from "../lookup.js";

const WORDS = {
  eq: "is", ne: "is not", gt: "more than", gte: "at least", lt: "less than", lte: "at most", in: "is one of",
  nin: "is none of", like: "matches (case)", ilike: "matches", contains: "contains (case)", icontains: "contains",
  startswith: "begins with", isnull: "is empty", on: "is on the day",
};
const TIMES = { gt: "after", gte: "from", lt: "before", lte: "until" };
const isTime = ({ kind }) => ["date", "datetime", "local_datetime", "time"].includes(kind);

export const operatorText = (field, op) => (isTime(field) && TIMES[op]) || WORDS[op] || op;

/** The operators of a field, the usual one first. */
export function operatorsOf(field) {
  const first = field.kind === "text" && !field.refers ? "icontains" : isTime(field) ? "gte" : "eq";
  const order = [first, ...Object.keys(WORDS)];
  return [...new Set(order)].filter((op) => field.ops.includes(op));
}

/** The field and the operator of a parameter; `null` for one that is no filter. */
export function filterOf(resource, name) {
  const [path, op = "eq"] = name.split("__", 2);
  const field = resource.byName.get(path);
  return field?.ops?.includes(op) ? { field, op } : null;
}

export const filterFields = (resource) =>
  [...resource.fields, ...resource.filters].filter((field) => field.ops?.length > 0);

/** A filter's value in words. */
export function FilterValue({ field, op, value }) {
  const title = useTitle(field.refers?.resource ?? "", field.refers && op === "eq" ? value : null);
  if (op === "isnull") return value === "true" ? "" : "no";
  if (title) return title;
  if (op === "on") return /^\d{4}-\d\d-\d\d$/.test(value) ? text({ ...field, kind: "date" }, value) : value;
  if (field.kind === "enum") return value.split(",").map((item) => labelOf(field, item)).join(", ");
  if (field.kind === "bool") return value === "true" ? "yes" : "no";
  if (field.kind === "datetime" && !Number.isNaN(Date.parse(value))) return text(field, value);
  return value;
}
