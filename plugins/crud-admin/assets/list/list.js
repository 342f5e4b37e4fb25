// The list of a resource: its whole state is in the page's URL.

import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { download, get } from "../api.js";
import { withMark } from "../live.js";
import { learn } from "../lookup.js";
import { go, href, parameter, replace, withParameter } from "../router.js";
import { expandable, keyOf, shownFields } from "../schema.js";
import { isTyping, useKey, useLoad } from "../ui/hooks.js";
import { Icon } from "../ui/icon.js";
import { Button, Empty, Failure, LinkButton, Menu, Skeleton, noteError } from "../ui/parts.js";
import { usePageTitle } from "../ui/title.js";
import { Bulk } from "./bulk.js";
import { useColumns } from "./fields.js";
import { Filters } from "./filters.js";
import { Import } from "./import.js";
import { Pending, useLiveList } from "./live.js";
import { Pages, totalText } from "./pages.js";
import { Summary } from "./summary.js";
import { Table } from "./table.js";

/** Parameters of a list that are the page's, and not the service's. */
const OWN = ["_summary"];

async function loadPage(resource, query, signal) {
  const expand = expandable(resource).slice(0, 8).join(",");
  const own = query.filter(([name]) => !OWN.includes(name));
  const { value } = await get(resource.path, expand ? [...own, ["expand", expand]] : own, signal);
  const page = Array.isArray(value) ? { data: value, total: value.length, total_relation: "eq", skip: 0 } : value;
  if (resource.key.length > 0) learn(resource, page.data);
  return page;
}

/** A field for words, whose list follows as they are typed. */
function Search({ value, search, label }) {
  const [text, setText] = useState(value);
  const ref = useRef();
  const timer = useRef();
  useEffect(() => setText(value), [value]);
  // A record that is opened meanwhile stays open.
  useEffect(() => () => clearTimeout(timer.current), []);
  useKey((event) => event.key === "/" && !isTyping(event), (event) => {
    event.preventDefault();
    ref.current?.focus();
  });
  const typed = (event) => {
    setText(event.target.value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => search(event.target.value.trim()), 250);
  };
  return html`
    <label class="search"><${Icon} name="search" /><span class="sr">Search ${label}</span>
      <input type="search" ref=${ref} value=${text} placeholder=${`Search ${label}`} autocomplete="off"
        onInput=${typed} /><kbd aria-hidden="true">/</kbd>
    </label>`;
}

/** The parameter by which words are searched: full text, or else a part of the name. */
function searchName(resource) {
  if (resource.search) return "q";
  const title = resource.title && resource.byName.get(resource.title);
  return title?.ops?.includes("icontains") ? `${title.name}__icontains` : null;
}

function ColumnsMenu({ resource, columns, choose, isUsual }) {
  const names = columns.map(({ name }) => name);
  const toggle = (name, isOn) => {
    const next = isOn ? shownFields(resource).map((field) => field.name)
      .filter((other) => other === name || names.includes(other)) : names.filter((other) => other !== name);
    if (next.length > 0) choose(next);
  };
  return html`
    <${Menu} icon="columns" label="Columns" align="end">${() => html`
      <ul class="items checks">
        ${shownFields(resource).map(({ name, label }) => html`
          <li key=${name}>
            <label><input type="checkbox" checked=${names.includes(name)}
              onChange=${(event) => toggle(name, event.target.checked)} />${label}</label></li>`)}
        <li class="apart"><button type="button" disabled=${isUsual} onClick=${() => choose(null)}>Usual columns</button>
        </li>
      </ul>`}
    <//>`;
}

function DeletedSwitch({ query, change }) {
  const value = parameter(query, "only_deleted") === "true" ? "only"
    : parameter(query, "include_deleted") === "true" ? "all" : "";
  const set = (next) => {
    const rest = query.filter(([name]) => !["only_deleted", "include_deleted", "skip"].includes(name));
    const added = { only: ["only_deleted", "true"], all: ["include_deleted", "true"] }[next];
    change(added ? [...rest, added] : rest);
  };
  return html`
    <div class="segments" role="group" aria-label="Which records">
      ${[["", "Active"], ["all", "All"], ["only", "Deleted"]].map(([name, text]) => html`
        <button type="button" key=${name} aria-pressed=${value === name} onClick=${() => set(name)}>${text}</button>`)}
    </div>`;
}

export function List({ resource, query }) {
  usePageTitle(resource.label);
  const { columns, choose, isUsual } = useColumns(resource);
  const [selected, setSelected] = useState([]);
  const [isImporting, setImporting] = useState(false);
  const [isExporting, setExporting] = useState(false);
  const key = JSON.stringify(query.filter(([name]) => !OWN.includes(name)));
  const load = (signal) => withMark(() => loadPage(resource, query, signal));
  const { data: page, error, isLoading, isLate, reload, set: setPage } = useLoad(load, [resource.path, key]);
  const section = useRef();
  const { fresh, pending } = useLiveList({
    resource, query: JSON.parse(key), page, load, set: setPage,
    isHeld: () => selected.length > 0 || Boolean(section.current?.querySelector("tbody:hover, tbody :focus")),
  });
  useEffect(() => setSelected([]), [resource.path, key]);
  const byKey = useMemo(
    () => new Map(resource.key.length > 0 ? page?.data.map((record) => [keyOf(resource, record), record]) : []),
    [page]);
  const change = (query) => go(resource.path, query);
  const set = (name, value) => change(withParameter(query, name, value));
  const searched = searchName(resource);
  const isSummary = parameter(query, "_summary") === "1" && resource.aggregate;
  const isFiltered = query.some(([name]) => !["skip", "limit", "sort", ...OWN].includes(name));
  const newQuery = query.filter(([name]) => resource.byName.get(name) && !name.includes("."));
  const canSelect = ["update", "delete", "restore"].some((name) => resource.may.has(name));
  useKey((event) => event.key === "n" && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event), () =>
    resource.may.has("create") && go(`${resource.path}/new`, newQuery));

  async function exportAll() {
    setExporting(true);
    const filters = query.filter(([name]) => !["skip", "limit", "cursor", ...OWN].includes(name));
    await download(`${resource.path}/export`, [...filters, ["format", "csv"]], `${resource.path.split("/").pop()}.csv`)
      .catch(noteError);
    setExporting(false);
  }

  const total = page && totalText(page);
  return html`
    <header class="head">
      <div class="titles">
        <h1>${resource.label}${total
          && html` <span class="total" aria-label=${`${total} records`}>${total}</span>`}</h1>
        ${resource.doc && html`<p class="muted">${resource.doc}</p>`}</div>
      <div class="actions">
        ${resource.aggregate
          && html`<${Button} icon="sum" aria-pressed=${Boolean(isSummary)}
            onClick=${() =>
              replace(resource.path, withParameter(query, "_summary", isSummary ? "" : "1"))}>Summary<//>`}
        ${resource.import && html`<${Button} icon="upload" kind="wide" onClick=${() => setImporting(true)}>Import<//>`}
        ${resource.export
          && html`<${Button} icon="download" kind="wide" busy=${isExporting} onClick=${exportAll}>Export<//>`}
        ${resource.may.has("create")
          && html`<${LinkButton} icon="add" kind="primary" href=${href(`${resource.path}/new`, newQuery)}>New<//>`}
      </div>
    </header>
    <div class="toolbar">
      ${searched && html`
        <${Search} label=${resource.label.toLowerCase()} value=${parameter(query, searched)}
          search=${(text) => replace(resource.path, withParameter(query, searched, text))} />`}
      <${Filters} resource=${resource} query=${query.filter(([name]) => name !== searched)}
        change=${(next) => change([...query.filter(([name]) => name === searched), ...next])} />
      <div class="end">
        ${resource.deleted_at && resource.may.has("restore")
          && html`<${DeletedSwitch} query=${query} change=${change} />`}
        <${ColumnsMenu} resource=${resource} columns=${columns} choose=${choose} isUsual=${isUsual} />
      </div>
    </div>
    ${isSummary && html`<${Summary} resource=${resource} query=${query.filter(([name]) => !OWN.includes(name))} />`}
    <section class="card list" aria-busy=${isLoading} ref=${section}>
      ${resource.live && html`<${Pending} show=${pending} />`}
      ${error ? html`<${Failure} error=${error} retry=${reload} />`
        : !page ? isLate && html`<${Skeleton} lines=${10} />`
        : page.data.length === 0
          ? html`<${Nothing} resource=${resource} query=${query} isFiltered=${isFiltered} clear=${() => change([])} />`
        : html`<${Table} resource=${resource} columns=${columns} records=${page.data}
          sort=${parameter(query, "sort") || resource.default_sort}
            setSort=${(sort) => change(withParameter(query, "sort", sort))} selected=${selected}
            select=${canSelect ? setSelected : null} isStale=${isLoading} fresh=${fresh} />`}
      ${page && !error && page.data.length > 0 && html`<${Pages} resource=${resource} page=${page} change=${set} />`}
    </section>
    <${Bulk} resource=${resource} records=${byKey} selected=${selected} clear=${() => setSelected([])}
      reload=${reload} />
    ${isImporting && html`<${Import} resource=${resource} close=${() => setImporting(false)} reload=${reload} />`}`;
}

function Nothing({ resource, query, isFiltered, clear }) {
  const isDeletedAlone = parameter(query, "only_deleted") === "true" && query.length === 1;
  if (isDeletedAlone) {
    return html`<${Empty} icon="delete"
      title="Nothing is deleted">Deleted ${resource.label.toLowerCase()} stay here until
      they are restored or removed for good.<//>`;
  }
  if (isFiltered) {
    return html`<${Empty} icon="search"
      title="No record fits">Change the words or the filters, or <button type="button" class="link"
        onClick=${clear}>show all</button>.<//>`;
  }
  const first = resource.may.has("create")
    ? html`Create the first one by <b>New</b>${resource.import ? html`, or import a file` : ""}.`
      : "They appear here once the service has some.";
  return html`<${Empty} title=${`There are no ${resource.label.toLowerCase()} yet`}>${first}<//>`;
}
