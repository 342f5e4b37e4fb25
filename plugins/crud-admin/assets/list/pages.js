// The page of a list, and its total.

import { html } from "../vendor/preact.js";
import { count } from "../format.js";
import { Button } from "../ui/parts.js";

/** Sizes that pages can have. */
const SIZES = [10, 20, 50, 100, 200, 500];

/** A total in words: storage may stop counting. */
export function totalText({ total, total_relation: relation }) {
  if (total === null || total === undefined) return null;
  return relation === "gte" ? `more than ${count(total)}` : count(total);
}

export function Pages({ resource, page, change }) {
  const { data, skip, limit } = page;
  if (limit === undefined) return html`<p class="pages"><span>${count(data.length)} records</span></p>`;
  const total = totalText(page);
  const isLast = page.total_relation === "eq" && page.total !== null ? skip + data.length >= page.total
    : data.length < limit;
  const range = data.length === 0 ? "No records" : `${count(skip + 1)}–${count(skip + data.length)}`;
  const sizes = [...new Set([...SIZES.filter((size) => size <= resource.page.max), resource.page.default, limit])].sort(
    (a, b) => a - b);
  return html`
    <nav class="pages" aria-label="Pages">
      <span class="range">${range}${total && data.length > 0 && html` <span class="muted">of ${total}</span>`}</span>
      <label class="size"><span>Rows</span>
        <select value=${limit} onChange=${(event) => change("limit", event.target.value)}>
          ${sizes.map((size) => html`<option key=${size} value=${size}>${size}</option>`)}
        </select>
      </label>
      <${Button} icon="back" label="Previous page" disabled=${skip === 0}
        onClick=${() => change("skip", Math.max(0, skip - limit) || "")} />
      <${Button} icon="next" label="Next page" disabled=${isLast} onClick=${() => change("skip", skip + limit)} />
    </nav>`;
}
