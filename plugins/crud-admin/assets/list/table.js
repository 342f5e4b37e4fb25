// The table of a list.

import { html, useEffect, useRef } from "../vendor/preact.js";
import { digitsOf, isAmount } from "../format.js";
import { go, href } from "../router.js";
import { keyOf, recordPath, resourceNamed, titleOf } from "../schema.js";
import { Icon } from "../ui/icon.js";
import { Cell } from "./fields.js";
import { useWindow, widths } from "./window.js";

/** The name by which a list is sorted by a field, or by the name of what it refers to; none where it cannot be. */
function sortName(resource, field) {
  if (resource.sort.includes(field.name)) return field.name;
  const title = field.refers?.expand && resourceNamed(field.refers.resource)?.title;
  const path = `${field.refers?.expand}.${title}`;
  return title && resource.sort.includes(path) ? path : null;
}

function Head({ resource, field, sort, setSort }) {
  const name = setSort && sortName(resource, field);
  const keys = sort.split(",");
  const direction = keys.includes(name) ? "ascending" : keys.includes(`-${name}`) ? "descending" : null;
  const next = direction === "ascending" ? `-${name}` : direction === "descending" ? "" : name;
  return html`
    <th scope="col" class=${isAmount(field) ? "amount" : ""} aria-sort=${direction ?? undefined}>
      ${name
        ? html`<button type="button" class="sorter" onClick=${() => setSort(next)}>${field.label}
            <span class=${`arrow ${direction ? "" : "idle"}`}><${Icon} name=${direction ?? "ascending"} /></span>
            </button>`
        : field.label}
    </th>`;
}

/** A box for all, which is half set for some. */
function SelectAll({ all, some, onChange }) {
  const ref = useRef();
  useEffect(() => {
    ref.current.indeterminate = some && !all;
  });
  return html`<input type="checkbox" ref=${ref} checked=${all} aria-label="Select all on this page"
    onChange=${(event) => onChange(event.target.checked)} />`;
}

/** The cells of the columns that are there, with one empty cell for those on each side of them. */
function rowCells(columns, shown, cell) {
  if (!shown) return columns.map(cell);
  const gap = (span, key) => span > 0 && html`<td key=${key} class="gap" colspan=${span} aria-hidden="true"></td>`;
  return [
    cell(columns[0], 0), gap(shown.from - 1, "before"),
    columns.slice(shown.from, shown.to).map((field, index) => cell(field, shown.from + index)),
    gap(columns.length - shown.to, "after"),
  ];
}

const openTab = (url) => window.open(url, "_blank", "noopener");

function openRecord(event, resource, key) {
  const isOther = event.target.closest("a, button, input, label") || getSelection()?.toString();
  if (isOther || !resource.may.has("get")) return;
  if (event.metaKey || event.ctrlKey) openTab(href(recordPath(resource, key)));
  else go(recordPath(resource, key));
}

function Row({
  resource, columns, digits, shown, record, recordKey: key, isSelected, isFresh, toggle,
}) {
  const isDeleted = resource.deleted_at && record[resource.deleted_at];
  const isLink = (field, position) => position === 0 && key !== null && !field.refers && resource.may.has("get");
  const cell = (field, position) => html`
    <td key=${field.name} class=${isAmount(field) ? "amount" : ""} data-label=${field.label}>
      <span class="value">${isLink(field, position)
        ? html`<a class="name" href=${href(recordPath(resource, key))}>
            <${Cell} resource=${resource} field=${field} record=${record} /></a>`
        : html`<${Cell} resource=${resource} field=${field} record=${record} digits=${digits[position]} />`}</span>
    </td>`;
  const kind = Object.entries({ opens: key !== null, deleted: isDeleted, selected: isSelected, fresh: isFresh })
    .map(([name, isSo]) => (isSo ? name : "")).join(" ");
  return html`
    <tr class=${kind} onClick=${key === null ? undefined : (event) => openRecord(event, resource, key)}>
      ${toggle && html`<td class="box"><input type="checkbox" checked=${isSelected}
        aria-label=${`Select ${titleOf(resource, record)}`} onChange=${(event) => toggle(key, event.target.checked)} />
        </td>`}
      ${rowCells(columns, shown, cell)}
    </tr>`;
}

export function Table({ resource, columns, records, sort, setSort, selected, select, isStale, fresh = [] }) {
  const hasKeys = resource.key.length > 0;
  const keys = records.map((record) => (hasKeys ? keyOf(resource, record) : null));
  const hasBox = Boolean(select && hasKeys);
  const shown = useWindow(columns.length);
  const size = widths(columns.length, hasBox);
  const digits = columns.map((field) => digitsOf(field, records));
  const toggle = (key, isOn) => select(isOn ? [...selected, key] : selected.filter((other) => other !== key));
  const isAll = keys.length > 0 && keys.every((key) => selected?.includes(key));
  const head = (field) => html`
    <${Head} key=${field.name} resource=${resource} field=${field} sort=${sort} setSort=${setSort} />`;
  return html`
    <div class="scroller" tabindex="0" role="region" aria-label=${`Table of ${resource.label.toLowerCase()}`}
      onScroll=${shown?.onScroll}>
      <table class=${`${isStale ? "stale" : ""} ${shown ? "wide" : ""}`} aria-busy=${isStale ? "true" : undefined}
        aria-colcount=${shown ? columns.length + (hasBox ? 1 : 0) : undefined}
        style=${shown ? { width: size.table } : undefined}>
        ${shown && html`<colgroup>${hasBox && html`<col style=${{ width: "48px" }} />`}
          <col style=${{ width: size.first }} /><col span=${columns.length - 1} style=${{ width: size.other }} />
          </colgroup>`}
        <thead><tr>
          ${hasBox && html`<th class="box"><${SelectAll} all=${isAll} some=${selected.length > 0}
            onChange=${(isOn) => select(isOn ? keys : [])} /></th>`}
          ${rowCells(columns, shown, head)}
        </tr></thead>
        <tbody>
          ${records.map((record, index) => html`
            <${Row} key=${keys[index] ?? index} resource=${resource} columns=${columns} digits=${digits} shown=${shown}
              record=${record}
              recordKey=${keys[index]} isSelected=${Boolean(selected?.includes(keys[index]))}
              isFresh=${fresh.includes(keys[index])}
              toggle=${hasBox ? toggle : null} />`)}
        </tbody>
      </table>
    </div>`;
}
