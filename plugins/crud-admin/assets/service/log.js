// The log of all resources, newest first.

import { html } from "../vendor/preact.js";
import { get } from "../api.js";
import { Ago, count } from "../format.js";
import { useTitle } from "../lookup.js";
import { Actor, Diff, actionText } from "../record/history.js";
import { go, href, parameter, withParameter } from "../router.js";
import { recordPath, resourceNamed, service, words } from "../schema.js";
import { useLoad } from "../ui/hooks.js";
import { Icon } from "../ui/icon.js";
import { Button, Empty, Failure, Skeleton } from "../ui/parts.js";
import { usePageTitle } from "../ui/title.js";

const ENTRIES_SHOWN = 30;
const LOGGED = ["create", "update", "soft_delete", "restore", "delete"];

/** The record of an entry, as a link where the caller may see its resource. */
export function Entity({ entry }) {
  const resource = resourceNamed(entry.entity_type);
  const title = useTitle(entry.entity_type, resource ? String(entry.entity_id) : null);
  const noun = words(entry.entity_type);
  // A record without a name is called by its resource already.
  const before = title?.startsWith(`${noun} `) ? "" : `${noun.toLowerCase()} `;
  const text = title ?? String(entry.entity_id);
  const name = html`<bdi>${text}</bdi>`;
  return html`${before}${resource?.may.has("get")
    ? html`<a href=${href(recordPath(resource, String(entry.entity_id)))}>${name}</a>` : name}`;
}

export function Log({ query }) {
  usePageTitle("Log");
  const skip = Number(parameter(query, "skip") || 0);
  const load = (signal) => get(service.paths.log, [["sort", "-timestamp"], ["limit", ENTRIES_SHOWN], ...query], signal);
  const { data, error, isLate, isLoading, reload } = useLoad(load, [JSON.stringify(query)]);
  const page = data?.value;
  const set = (name, value) => go("/~log", withParameter(query, name, value));
  const choice = (name, label, options) => html`
    <label class="inline"><span>${label}</span>
      <select value=${parameter(query, name)} onChange=${(event) => set(name, event.target.value)}>
      <option value="">All</option>
      ${options.map(([value, text]) => html`<option key=${value} value=${value}>${text}</option>`)}</select></label>`;
  return html`
    <header class="head">
      <div class="titles"><h1>Log${page && html` <span class="total">${count(page.total)}</span>`}</h1>
        <p class="muted">Each change, with its author.</p></div></header>
    <div class="toolbar">
      ${choice("entity_type", "Resource",
        service.resources.filter(({ audit }) => audit).map(({ name, label }) => [name, label]))}
      ${choice("action", "Action", LOGGED.map((action) => [action, actionText({ action })]))}
      <label class="inline"><span>User</span>
        <input class="short" value=${parameter(query, "user_id")} inputmode="numeric" placeholder="Id"
          onChange=${(event) => set("user_id", event.target.value.trim())} /></label>
      <label class="inline"><span>From</span>
        <input type="date" value=${parameter(query, "start_date")}
          onChange=${(event) => set("start_date", event.target.value)} /></label>
      <label class="inline"><span>To</span>
        <input type="date" value=${parameter(query, "end_date")}
          onChange=${(event) => set("end_date", event.target.value)} /></label>
    </div>
    ${parameter(query, "entity_id") && html`<div class="toolbar"><span class="chip">
      <span class="chip-text">Record <b><bdi>${parameter(query, "entity_id")}</bdi></b></span>
      <button type="button" class="chip-close" aria-label="Show all records" onClick=${() => set("entity_id", "")}>
        <${Icon} name="close" /></button></span></div>`}
    <section class="card list">
      ${error ? html`<${Failure} error=${error} retry=${reload} />` : !page ? isLate && html`<${Skeleton} lines=${8} />`
        : page.data.length === 0
          ? html`<${Empty} icon="log" title="No entry fits">Choose another resource, action or time.<//>`
        : html`<ol class=${`timeline wide ${isLoading ? "stale" : ""}`}>${page.data.map((entry) => html`
            <li key=${entry.id} data-action=${entry.action}>
              <p><strong>${entry.transition ? words(entry.transition) : actionText(entry)}</strong> <${Entity}
                entry=${entry} /> by <${Actor} entry=${entry} /> <span class="muted small">
                ${entry.timestamp && html`<${Ago} value=${entry.timestamp} />`}</span></p>
              <${Diff} resource=${resourceNamed(entry.entity_type)} entry=${entry} />
            </li>`)}</ol>
          <nav class="pages" aria-label="Pages">
            <span class="range">
              ${count(skip + 1)}–${count(skip + page.data.length)} <span class="muted">of ${count(page.total)}</span>
              </span>
            <${Button} icon="back" label="Newer entries" disabled=${skip === 0}
              onClick=${() => set("skip", Math.max(0, skip - ENTRIES_SHOWN) || "")} />
            <${Button} icon="next" label="Older entries" disabled=${skip + page.data.length >= page.total}
              onClick=${() => set("skip", skip + ENTRIES_SHOWN)} /></nav>`}
    </section>`;
}
