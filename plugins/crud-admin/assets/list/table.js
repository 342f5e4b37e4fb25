// The table of a list.

import { html, useEffect, useRef } from "../vendor/preact.js";
import { isAmount } from "../format.js";
import { go, href } from "../router.js";
import { keyOf, recordPath, titleOf } from "../schema.js";
import { Icon } from "../ui/icon.js";
import { Cell } from "./fields.js";

/** The name by which a list is sorted by a field; none where it cannot be. */
function sortName(resource, field) {
  if (resource.sort.includes(field.name)) return field.name;
  return null;
}

function Head({ resource, field, sort, setSort }) {
  const name = sortName(resource, field);
  const keys = sort.split(",");
  const direction = keys.includes(name) ? "ascending" : keys.includes(`-${name}`) ? "descending" : null;
  const next = direction === "ascending" ? `-${name}` : direction === "descending" ? "" : name;
  return html`
    <th scope="col" class=${isAmount(field) ? "amount" : ""} aria-sort=${direction ?? undefined}>
      ${name
        ? html`<button type="button" class="sorter" onClick=${() => setSort(next)}>${field.label}${html`<span class=${`arrow ${direction ? "" : "idle"}`}><${Icon} name=${direction ?? "ascending"} /></span>`}</button>`
        : field.label}
    </th>`;
}

/** A box for all, which is half set for some. */
function SelectAll({ all, some, onChange }) {
  const ref = useRef();
  useEffect(() => {
    ref.current.indeterminate = some && !all;
  });
  return html`<input type="checkbox" ref=${ref} checked=${all} aria-label="Select all on this page" onChange=${(event) => onChange(event.target.checked)} />`;
}

export function Table({ resource, columns, records, sort, setSort, selected, select, isStale }) {
  const keys = records.map((record) => (resource.key.length > 0 ? keyOf(resource, record) : null));
  const hasKeys = resource.key.length > 0;
  const toggle = (key, isOn) => select(isOn ? [...selected, key] : selected.filter((other) => other !== key));
  const open = (event, key) => {
    if (event.target.closest("a, button, input, label") || getSelection()?.toString() || !resource.may.has("get")) return;
    if (event.metaKey || event.ctrlKey) openTab(href(recordPath(resource, key)));
    else go(recordPath(resource, key));
  };
  return html`
    <div class="scroller" tabindex="0" role="region" aria-label=${`Table of ${resource.label.toLowerCase()}`}>
      <table class=${isStale ? "stale" : ""} aria-busy=${isStale ? "true" : undefined}>
        <thead><tr>
          ${select && hasKeys && html`<th class="box"><${SelectAll} all=${keys.length > 0 && keys.every((key) => selected.includes(key))}
            some=${selected.length > 0} onChange=${(isOn) => select(isOn ? keys : [])} /></th>`}
          ${columns.map((field) => html`<${Head} key=${field.name} resource=${resource} field=${field} sort=${sort} setSort=${setSort} />`)}
        </tr></thead>
        <tbody>
          ${records.map((record, index) => {
            const key = keys[index];
            const isDeleted = resource.deleted_at && record[resource.deleted_at];
            return html`
              <tr key=${key ?? index} class=${`${hasKeys ? "opens" : ""} ${isDeleted ? "deleted" : ""} ${selected?.includes(key) ? "selected" : ""}`}
                onClick=${hasKeys ? (event) => open(event, key) : undefined}>
                ${select && hasKeys && html`<td class="box"><input type="checkbox" checked=${selected.includes(key)}
                  aria-label=${`Select ${titleOf(resource, record)}`} onChange=${(event) => toggle(key, event.target.checked)} /></td>`}
                ${columns.map((field, position) => html`
                  <td key=${field.name} class=${isAmount(field) ? "amount" : ""} data-label=${field.label}>
                    <span class="value">${position === 0 && hasKeys && !field.refers && resource.may.has("get")
                      ? html`<a class="name" href=${href(recordPath(resource, key))}><${Cell} resource=${resource} field=${field} record=${record} /></a>`
                      : html`<${Cell} resource=${resource} field=${field} record=${record} />`}</span>
                  </td>`)}
              </tr>`;
          })}
        </tbody>
      </table>
    </div>`;
}

const openTab = (url) => window.open(url, "_blank", "noopener");
