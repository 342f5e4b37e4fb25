// The records that refer to one, some at a time.

import { html, useState } from "../vendor/preact.js";
import { get } from "../api.js";
import { count } from "../format.js";
import { useColumns } from "../list/fields.js";
import { totalText } from "../list/pages.js";
import { Table } from "../list/table.js";
import { conditionOf, useChanges, withMark } from "../live.js";
import { learn } from "../lookup.js";
import { href } from "../router.js";
import { expandable, keyOf, recordPath, resourceNamed } from "../schema.js";
import { useLoad } from "../ui/hooks.js";
import { Button, Failure, LinkButton, Skeleton } from "../ui/parts.js";

const CHILDREN_SHOWN = 10;
const COLUMNS_SHOWN = 6;

/** The query that finds the children of a record. */
const queryOf = (children, resource, record) =>
  children.by.map((name, index) => [name, String(record[resource.key[index]])]);

/** The references whose records the children have with them, but for the record itself. */
function expanded(target, children) {
  const isBack = (name) => children.by.some((by) => target.byName.get(by)?.refers?.expand === name);
  return expandable(target).filter((name) => !isBack(name)).slice(0, 4).join(",");
}

/** A page of children by a list, or the first ones as the record itself has them. */
async function loadChildren({ resource, record, children, target, filter, sort, skip }, signal) {
  if (!filter) {
    const { value } = await get(recordPath(resource, keyOf(resource, record)), { expand: children.expand }, signal);
    const { data, more } = value[children.name];
    return { data: data.slice(0, CHILDREN_SHOWN), total: more ? null : data.length, total_relation: "eq" };
  }
  const page = target.page ? [["limit", Math.min(CHILDREN_SHOWN, target.page.max)], ["skip", skip || ""]] : [];
  const query = [...filter, ...page, ["sort", sort], ["expand", expanded(target, children)]];
  const { value } = await get(target.path, query, signal);
  if (!Array.isArray(value)) return value;
  return { data: value.slice(skip, skip + CHILDREN_SHOWN), total: value.length, total_relation: "eq" };
}

/** The buttons to the children before and after those that are shown. */
function Steps({ page, skip, setSkip, label }) {
  const isLast = page.total !== null && page.total_relation === "eq"
    ? skip + page.data.length >= page.total : page.data.length < CHILDREN_SHOWN;
  if (skip === 0 && isLast) return null;
  return html`
    <span class="range small muted">${count(skip + 1)}–${count(skip + page.data.length)}</span>
    <${Button} icon="back" kind="quiet" label=${`Previous ${label}`} disabled=${skip === 0}
      onClick=${() => setSkip(Math.max(0, skip - CHILDREN_SHOWN))} />
    <${Button} icon="next" kind="quiet" label=${`Next ${label}`} disabled=${isLast}
      onClick=${() => setSkip(skip + CHILDREN_SHOWN)} />`;
}

export function Children({ resource, record, children }) {
  const target = resourceNamed(children.resource);
  const { columns } = useColumns(target);
  const [sort, setSort] = useState("");
  const [skip, setSkip] = useState(0);
  const canFilter = children.by.every((name) => target.byName.get(name)?.ops?.includes("eq"));
  const filter = canFilter ? queryOf(children, resource, record) : null;
  const load = (signal) =>
    withMark(() => loadChildren({ resource, record, children, target, filter, sort, skip }, signal));
  const { data: page, error, isLoading, isLate, reload } = useLoad(load,
    [target.path, JSON.stringify(filter), sort, skip, record]);
  useChanges(target, filter && conditionOf(target, filter), page, reload);
  if (page) learn(target, page.data);
  const shown = columns.filter((field) => !children.by.includes(field.name)).slice(0, COLUMNS_SHOWN);
  const total = page && totalText(page);
  const label = children.label.toLowerCase();
  const sortBy = (next) => {
    setSort(next);
    setSkip(0);
  };
  return html`
    <section class="card children" aria-label=${children.label}>
      <header><h2>${children.label}${total && html` <span class="total">${total}</span>`}</h2>
        <span class="space" />
        ${canFilter && page && html`<${Steps} page=${page} skip=${skip} setSkip=${setSkip} label=${label} />`}
        ${canFilter && page?.data.length > 0
          && html`<${LinkButton} kind="quiet" href=${href(target.path, filter)}>Show all<//>`}
        ${target.may.has("create") && html`
          <${LinkButton} icon="add" href=${href(`${target.path}/new`, queryOf(children, resource, record))}>New<//>`}
      </header>
      ${error ? html`<${Failure} error=${error} retry=${reload} />`
        : !page ? isLate && html`<${Skeleton} lines=${3} />`
        : page.data.length === 0 ? html`<p class="muted nothing">No ${label} yet.</p>`
        : html`<${Table} resource=${target} columns=${shown} records=${page.data} sort=${sort}
            setSort=${canFilter ? sortBy : null} isStale=${isLoading} />`}
    </section>`;
}
