// The first page: the resources with their totals, and the latest changes.

import { html } from "./vendor/preact.js";
import { get } from "./api.js";
import { Ago } from "./format.js";
import { totalText } from "./list/pages.js";
import { Actor, actionText } from "./record/history.js";
import { href } from "./router.js";
import { menuResources, service } from "./schema.js";
import { Entity } from "./service/log.js";
import { useLoad } from "./ui/hooks.js";
import { Icon } from "./ui/icon.js";
import { Empty } from "./ui/parts.js";

function Tile({ resource }) {
  const isCounted = resource.page?.counted && resource.may.has("list");
  const { data } = useLoad((signal) => (isCounted ? get(resource.path, { limit: 1 }, signal) : null), [resource.path]);
  const total = data && totalText(data.value);
  return html`
    <a class="tile card" href=${href(resource.path)}>
      <span class="tile-name">${resource.label}</span>
      <span class="tile-total">${total ?? html`<span aria-hidden="true">${isCounted ? " " : "–"}</span>`}</span>
      <span class="muted small">${resource.doc || resource.path}</span>
    </a>`;
}

function Latest() {
  const { data, error } = useLoad((signal) => get(service.paths.log, [["sort", "-timestamp"], ["limit", 8]], signal),
    []);
  const entries = data?.value.data ?? [];
  if (error || (data && entries.length === 0)) return null;
  return html`
    <section class="card history latest" aria-labelledby="latest"><h2 id="latest">Latest changes</h2>
      <ol class="timeline">${entries.map((entry) => {
        return html`<li key=${entry.id} data-action=${entry.action}>
          <p><strong>${actionText(entry)}</strong> <${Entity} entry=${entry} /> by <${Actor} entry=${entry} /></p>
          <p class="muted small">${entry.timestamp && html`<${Ago} value=${entry.timestamp} />`}</p></li>`;
      })}</ol>
      <p class="after"><a href=${href("/~log")}>The whole log <${Icon} name="next" /></a></p></section>`;
}

export const Home = () => html`
  <header class="head">
    <div class="titles"><h1>${service.title}</h1>
      ${service.description && html`<p class="muted">${service.description.split("\n")[0]}</p>`}</div></header>
  ${service.resources.length === 0
    && html`<div class="card">
      <${Empty} title="You may see no resource">Ask an administrator for a role that reads one.<//></div>`}
  <div class="tiles">
    ${menuResources().map((resource) => html`<${Tile} key=${resource.path} resource=${resource} />`)}</div>
  ${service.paths.log && html`<${Latest} />`}`;
