// The records that refer to one, and those that a junction links to it.

import { html, useState } from "../vendor/preact.js";
import { call, get } from "../api.js";
import { count } from "../format.js";
import { useColumns } from "../list/fields.js";
import { totalText } from "../list/pages.js";
import { Table } from "../list/table.js";
import { learn } from "../lookup.js";
import { href } from "../router.js";
import { expandable, keyOf, recordPath, resourceNamed, titleOf } from "../schema.js";
import { useLoad } from "../ui/hooks.js";
import { Icon } from "../ui/icon.js";
import { Button, Failure, LinkButton, Skeleton, noteError } from "../ui/parts.js";
import { Picker } from "./picker.js";
import { newKey } from "./save.js";

const CHILDREN_SHOWN = 10;

/** The query that finds the children of a record. */
const queryOf = (children, resource, record) => children.by.map((name, index) => [name, String(record[resource.key[index]])]);

export function Children({ resource, record, children }) {
  const target = resourceNamed(children.resource);
  const { columns } = useColumns(target);
  const [sort, setSort] = useState("");
  const filter = queryOf(children, resource, record);
  const canFilter = children.by.every((name) => target.byName.get(name)?.ops?.includes("eq"));
  const expand = expandable(target).filter((name) => !children.by.some((by) => target.byName.get(by)?.refers?.expand === name)).slice(0, 4).join(",");
  const load = async (signal) => {
    if (!canFilter) {
      const { value } = await get(recordPath(resource, keyOf(resource, record)), { expand: children.expand }, signal);
      const { data, more } = value[children.name];
      return { data, total: more ? null : data.length, total_relation: "eq" };
    }
    const { value } = await get(target.path, [...filter, ...(target.page ? [["limit", Math.min(CHILDREN_SHOWN, target.page.max)]] : []), ["sort", sort], ["expand", expand]], signal);
    return Array.isArray(value) ? { data: value.slice(0, CHILDREN_SHOWN), total: value.length, total_relation: "eq" } : value;
  };
  const { data: page, error, isLoading, isLate, reload } = useLoad(load, [target.path, JSON.stringify(filter), sort]);
  if (page) learn(target, page.data);
  const shown = columns.filter((field) => !children.by.includes(field.name)).slice(0, 6);
  const total = page && totalText(page);
  return html`
    <section class="card children" aria-label=${children.label}>
      <header><h2>${children.label}${total && html` <span class="total">${total}</span>`}</h2>
        <span class="space" />
        ${canFilter && page?.data.length > 0 && html`<${LinkButton} kind="quiet" href=${href(target.path, filter)}>Show all<//>`}
        ${target.may.has("create") && html`<${LinkButton} icon="add" href=${href(`${target.path}/new`, filter)}>New<//>`}
      </header>
      ${error ? html`<${Failure} error=${error} retry=${reload} />`
        : !page ? isLate && html`<${Skeleton} lines=${3} />`
        : page.data.length === 0 ? html`<p class="muted nothing">No ${children.label.toLowerCase()} yet.</p>`
        : html`<${Table} resource=${target} columns=${shown} records=${page.data.slice(0, CHILDREN_SHOWN)} sort=${sort} setSort=${canFilter ? setSort : () => {}} isStale=${isLoading} />`}
    </section>`;
}

/** The links of a junction, changed one by one. */
export function Links({ resource, record, links }) {
  const target = resourceNamed(links.resource);
  const path = `${recordPath(resource, keyOf(resource, record))}/${links.name}`;
  const { data, error, isLate, reload } = useLoad((signal) => get(path, null, signal), [path]);
  const [isAdding, setAdding] = useState(false);
  const linked = data?.value.data ?? (Array.isArray(data?.value) ? data.value : []);
  const headers = resource.idempotent ? { "idempotency-key": newKey() } : {};
  const add = async (_, chosen) => {
    setAdding(false);
    const id = target.key.length === 1 ? chosen[target.key[0]] : Object.fromEntries(target.key.map((name) => [name, chosen[name]]));
    await call("POST", path, { body: { ids: [id] }, headers }).then(reload, noteError);
  };
  const remove = (other) => call("DELETE", `${path}/${encodeURIComponent(keyOf(target, other))}`, { headers }).then(reload, noteError);
  return html`
    <section class="card links" aria-label=${links.label}>
      <header><h2>${links.label}${data && html` <span class="total">${count(linked.length)}</span>`}</h2></header>
      ${error ? html`<${Failure} error=${error} retry=${reload} />` : isLate ? html`<${Skeleton} lines=${1} />` : null}
      <div class="chips">
        ${linked.map((other) => html`
          <span class="chip" key=${keyOf(target, other)}>
            <a class="chip-text" href=${href(recordPath(target, keyOf(target, other)))}><bdi>${titleOf(target, other)}</bdi></a>
            ${links.remove && html`<button type="button" class="chip-close" aria-label=${`Remove ${titleOf(target, other)}`} onClick=${() => remove(other)}><${Icon} name="close" /></button>`}
          </span>`)}
        ${links.add && (isAdding
          ? html`<div class="add"><${Picker} resource=${links.resource} value=${null} onChange=${add} label=${`Add to ${links.label.toLowerCase()}`} autofocus /></div>`
          : html`<${Button} icon="add" onClick=${() => setAdding(true)}>Add<//>`)}
        ${data && linked.length === 0 && !links.add && html`<span class="muted">None.</span>`}
      </div>
    </section>`;
}
