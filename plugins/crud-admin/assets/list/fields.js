// The columns of a list: which ones, and what their cells show.

import { useState, html } from "../vendor/preact.js";
import { FileCell } from "../file/value.js";
import { Value } from "../format.js";
import { useTitle } from "../lookup.js";
import { cellOf } from "../modules.js";
import { href } from "../router.js";
import { recordPath, resourceNamed, shownFields, titleOf } from "../schema.js";

/** Number of columns before the reader chooses. */
const DEFAULT = 7;
const key = (resource) => `crud-admin.columns.${resource.path}`;

/**
 * The columns before the reader chooses: those that the program states, or else the fields that tell most, the name
 * first.
 */
function usual(resource) {
  if (resource.list) return resource.list;
  const weight = (field) => {
    if (field.name === resource.title) return 0;
    if (field.assigned) return 8;
    if (field.role === "is_deleted" || field.role === "deleted_at") return 9;
    if (field.role === "updated_at") return 7;
    if (field.role === "created_at") return 4;
    if (field.kind === "file") return 3;
    if (["json", "bytes"].includes(field.kind)) return 8;
    if (field.kind === "text" && !(field.rules?.max_length <= 200) && !field.ops?.length) return 6;
    return field.kind === "enum" ? 1 : 2;
  };
  const fields = shownFields(resource).map((field, index) => ({ field, index, weight: weight(field) }));
  const byWeight = fields.sort((a, b) => a.weight - b.weight || a.index - b.index);
  const some = byWeight.filter(({ weight }, index) => weight < 6 || (index < 4 && weight < 9)).slice(0, DEFAULT);
  const names = some.sort((a, b) => a.index - b.index).map(({ field }) => field.name);
  return resource.title ? [resource.title, ...names.filter((name) => name !== resource.title)] : names;
}

/** The columns of a list, and a function that chooses others. They stay chosen. */
export function useColumns(resource) {
  const [round, setRound] = useState(0);
  const chosen = JSON.parse(localStorage.getItem(key(resource)) ?? "null");
  const names = chosen?.filter((name) => resource.byName.has(name)) ?? [];
  const isUsual = names.length === 0;
  const choose = (names) => {
    if (names) localStorage.setItem(key(resource), JSON.stringify(names));
    else localStorage.removeItem(key(resource));
    setRound(round + 1);
  };
  const columns = (isUsual ? usual(resource) : names).map((name) => resource.byName.get(name));
  return { columns, choose, isUsual };
}

/** The record that a field refers to, by its name, as a link. */
export function Reference({ field, record, isPlain = false }) {
  const target = resourceNamed(field.refers.resource);
  const parts = field.refers.by.length > 0 ? field.refers.by.map((name) => record[name]) : [record[field.name]];
  const isSet = parts.every((part) => part !== null && part !== undefined);
  const refKey = parts.length === 1 ? String(parts[0]) : parts.map((part) => encodeURIComponent(String(part)))
    .join(",");
  const expanded = field.refers.expand && record[field.refers.expand];
  const asked = useTitle(field.refers.resource, isSet && !expanded ? refKey : null);
  if (!isSet) return html`<${Value} field=${field} value=${null} />`;
  const text = expanded && target ? titleOf(target, expanded) : asked ?? (target ? `${target.one} ${refKey}` : refKey);
  if (!target || isPlain) return html`<bdi>${text}</bdi>`;
  return html`<a href=${href(recordPath(target, refKey))}><bdi>${text}</bdi></a>`;
}

/** The value of a field in a list. */
export function Cell({ resource, field, record, digits }) {
  const Own = cellOf(resource, field);
  if (Own) return html`<${Own} value=${record[field.name]} record=${record} field=${field} />`;
  if (field.refers) return html`<${Reference} field=${field} record=${record} />`;
  if (field.kind === "file" && record[field.name]) return html`<${FileCell} value=${record[field.name]} />`;
  return html`<${Value} field=${field} value=${record[field.name]} digits=${digits} />`;
}
