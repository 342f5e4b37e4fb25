// The users of the service: who may log in, and with which roles.

import { html, useState } from "../vendor/preact.js";
import { get } from "../api.js";
import { Ago, count } from "../format.js";
import { go, href, parameter, replace, withParameter } from "../router.js";
import { service } from "../schema.js";
import { useLoad } from "../ui/hooks.js";
import { Icon } from "../ui/icon.js";
import { Button, Empty, Failure, LinkButton, Skeleton } from "../ui/parts.js";
import { usePageTitle } from "../ui/title.js";

const USERS_SHOWN = 20;

export function Users({ query }) {
  usePageTitle("Users");
  const skip = Number(parameter(query, "skip") || 0);
  const { data, error, isLate, isLoading, reload } = useLoad((signal) =>
    get(service.paths.users, [...query, ["limit", USERS_SHOWN]], signal), [JSON.stringify(query)]);
  const page = data?.value;
  const set = (name, value) => replace("/~users", withParameter(query, name, value));
  const [words, setWords] = useState(parameter(query, "q"));
  return html`
    <header class="head">
      <div class="titles"><h1>Users${page && html` <span class="total">${count(page.total)}</span>`}</h1>
        <p class="muted">Who may log in.</p></div>
      <div class="actions"><${LinkButton} icon="add" kind="primary" href=${href("/~users/new")}>New<//></div></header>
    <div class="toolbar">
      <label class="search"><${Icon} name="search" /><span class="sr">Search users</span>
        <input type="search" value=${words} placeholder="Search users"
        onInput=${(event) => { setWords(event.target.value); set("q", event.target.value.trim()); }} /></label>
      <span class="space" />
      <div class="segments" role="group" aria-label="Which users">
        ${[["", "All"], ["false", "Enabled"], ["true", "Blocked"]].map(([value, text]) => html`
        <button type="button" key=${value} aria-pressed=${parameter(query, "disabled") === value}
          onClick=${() => set("disabled", value)}>${text}</button>`)}</div>
    </div>
    <section class="card list">
      ${error ? html`<${Failure} error=${error} retry=${reload} />` : !page ? isLate && html`<${Skeleton} />`
        : page.data.length === 0
          ? html`<${Empty} icon="user" title="No user fits">Change the words, or create one by <b>New</b>.<//>`
        : html`<div class="scroller" tabindex="0" role="region" aria-label="Users">
          <table class=${isLoading ? "stale" : ""}>
            <thead><tr><th scope="col">Name</th><th scope="col">Roles</th><th scope="col">State</th>
              <th scope="col">Created</th></tr></thead>
            <tbody>${page.data.map((user) => html`
              <tr key=${user.id} class="opens"
                onClick=${(event) => !event.target.closest("a") && go(`/~users/${user.id}`)}>
                <td data-label="Name">
                  <span class="value"><a class="name" href=${href(`/~users/${user.id}`)}><bdi>${user.username}</bdi></a>
                  </span></td>
                <td data-label="Roles">
                  <span class="value">${user.roles.map((role) => html`<span class="badge">${role}</span> `)}</span></td>
                <td data-label="State">
                  <span class="value">
                    <span class="badge" data-tone=${user.disabled ? "bad" : "good"}>
                      ${user.disabled ? "Blocked" : "Enabled"}</span></span></td>
                <td data-label="Created"><span class="value"><${Ago} value=${user.created_at} /></span></td>
                </tr>`)}</tbody></table></div>
          ${page.total > USERS_SHOWN
            && html`<nav class="pages" aria-label="Pages">
              <span class="range">
                ${count(skip + 1)}–${count(skip + page.data.length)} <span class="muted">of ${count(page.total)}</span>
                </span>
            <${Button} icon="back" label="Previous page" disabled=${skip === 0}
              onClick=${() => go("/~users", withParameter(query, "skip", Math.max(0, skip - USERS_SHOWN) || ""))} />
            <${Button} icon="next" label="Next page" disabled=${skip + page.data.length >= page.total}
              onClick=${() => go("/~users", withParameter(query, "skip", skip + USERS_SHOWN))} /></nav>`}`}
    </section>`;
}
