// The users of the service: who may log in, and with which roles.

import { html, useEffect, useState } from "../vendor/preact.js";
import { call, get } from "../api.js";
import { Ago, Time, count } from "../format.js";
import { isSame } from "../json.js";
import { go, href, parameter, replace, withParameter } from "../router.js";
import { service } from "../schema.js";
import { errorsOf } from "../record/save.js";
import { Input } from "../record/inputs.js";
import { useLoad } from "../ui/hooks.js";
import { Icon } from "../ui/icon.js";
import { Button, Empty, Failure, LinkButton, Skeleton, ask, note, noteError } from "../ui/parts.js";

const USERS_SHOWN = 20;
const field = (name, label, kind, more = {}) => ({ name, label, kind, doc: "", rules: {}, required: false, nullable: true, ...more });
const NAME = field("username", "Name", "text", { required: true, nullable: false, rules: { max_length: 255 }, doc: "The name to log in with." });
const PASSWORD = field("password", "Password", "text", { write_only: true, doc: "At least 8 characters. A new one ends the user's sessions." });
const ROLES = field("roles", "Roles", "text[]", { nullable: false, doc: "One a line, such as admin." });
const PERMISSIONS = field("permissions", "Permissions", "text[]", { nullable: false, doc: "One a line, such as orders:purge." });
const CLAIMS = field("claims", "Claims", "json", { nullable: false, doc: "Further claims of the user's tokens: an object." });

export function Users({ query }) {
  const skip = Number(parameter(query, "skip") || 0);
  const { data, error, isLate, isLoading, reload } = useLoad((signal) => get(service.paths.users, [...query, ["limit", USERS_SHOWN]], signal), [JSON.stringify(query)]);
  const page = data?.value;
  const set = (name, value) => replace("/~users", withParameter(query, name, value));
  const [words, setWords] = useState(parameter(query, "q"));
  return html`
    <header class="head"><div class="titles"><h1>Users${page && html` <span class="total">${count(page.total)}</span>`}</h1><p class="muted">Who may log in.</p></div>
      <div class="actions"><${LinkButton} icon="add" kind="primary" href=${href("/~users/new")}>New<//></div></header>
    <div class="toolbar">
      <label class="search"><${Icon} name="search" /><span class="sr">Search users</span><input type="search" value=${words} placeholder="Search users"
        onInput=${(event) => { setWords(event.target.value); set("q", event.target.value.trim()); }} /></label>
      <span class="space" />
      <div class="segments" role="group" aria-label="Which users">${[["", "All"], ["false", "Enabled"], ["true", "Blocked"]].map(([value, text]) => html`
        <button type="button" key=${value} aria-pressed=${parameter(query, "disabled") === value} onClick=${() => set("disabled", value)}>${text}</button>`)}</div>
    </div>
    <section class="card list">
      ${error ? html`<${Failure} error=${error} retry=${reload} />` : !page ? isLate && html`<${Skeleton} />`
        : page.data.length === 0 ? html`<${Empty} icon="user" title="No user fits">Change the words, or create one by <b>New</b>.<//>`
        : html`<div class="scroller" tabindex="0" role="region" aria-label="Users"><table class=${isLoading ? "stale" : ""}>
            <thead><tr><th scope="col">Name</th><th scope="col">Roles</th><th scope="col">State</th><th scope="col">Created</th></tr></thead>
            <tbody>${page.data.map((user) => html`
              <tr key=${user.id} class="opens" onClick=${(event) => !event.target.closest("a") && go(`/~users/${user.id}`)}>
                <td data-label="Name"><span class="value"><a class="name" href=${href(`/~users/${user.id}`)}><bdi>${user.username}</bdi></a></span></td>
                <td data-label="Roles"><span class="value">${user.roles.map((role) => html`<span class="badge">${role}</span> `)}</span></td>
                <td data-label="State"><span class="value"><span class="badge" data-tone=${user.disabled ? "bad" : "good"}>${user.disabled ? "Blocked" : "Enabled"}</span></span></td>
                <td data-label="Created"><span class="value"><${Ago} value=${user.created_at} /></span></td></tr>`)}</tbody></table></div>
          ${page.total > USERS_SHOWN && html`<nav class="pages" aria-label="Pages"><span class="range">${count(skip + 1)}–${count(skip + page.data.length)} <span class="muted">of ${count(page.total)}</span></span>
            <${Button} icon="back" label="Previous page" disabled=${skip === 0} onClick=${() => go("/~users", withParameter(query, "skip", Math.max(0, skip - USERS_SHOWN) || ""))} />
            <${Button} icon="next" label="Next page" disabled=${skip + page.data.length >= page.total} onClick=${() => go("/~users", withParameter(query, "skip", skip + USERS_SHOWN))} /></nav>`}`}
    </section>`;
}

const UserCrumbs = ({ children }) => html`
  <nav class="crumbs" aria-label="Place"><a href=${href("/~users")}>Users</a><${Icon} name="next" /><span aria-current="page"><bdi>${children}</bdi></span></nav>`;

/** A form of fields whose changes a function saves. */
function UserForm({ fields, user, save, text, isNew }) {
  const [draft, setDraft] = useState(user);
  const [errors, setErrors] = useState({ byField: {}, others: [] });
  const [isBusy, setBusy] = useState(false);
  useEffect(() => setDraft(user), [user]);
  const changes = Object.fromEntries(Object.entries(draft).filter(([name, value]) => !isSame(value, user[name] ?? null) && value !== null));
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    setErrors({ byField: {}, others: [] });
    await save(changes).catch((problem) => setErrors(errorsOf(problem, fields)));
    setBusy(false);
  };
  return html`
    <form class="form" onSubmit=${submit} noValidate>
      ${errors.others.length > 0 && html`<div class="alert" role="alert">${errors.others.map((text) => html`<p key=${text}>${text}</p>`)}</div>`}
      <div class="fields">${fields.map((it, index) => html`
        <${Input} key=${`${it.name} ${user.updated_at}`} field=${it} value=${draft[it.name] ?? null} error=${errors.byField[it.name]} isNew=${isNew} autofocus=${isNew && index === 0}
          onChange=${(value) => setDraft((draft) => ({ ...draft, [it.name]: value }))} />`)}</div>
      ${(isNew || Object.keys(changes).length > 0) && html`<div class="savebar">${!isNew && html`<${Button} onClick=${() => setDraft(user)}>Discard<//>`}
        <button class="button primary" disabled=${isBusy} aria-busy=${isBusy}><span>${text}</span></button></div>`}
    </form>`;
}

const EMPTY = { username: "", roles: [], permissions: [] };

export function NewUser() {
  const save = async (body) => {
    const { value } = await call("POST", service.paths.users, { body });
    note(`${value.username} may log in`);
    go(`/~users/${value.id}`);
  };
  return html`<${UserCrumbs}>New<//><header class="head"><h1>New user</h1></header>
    <div class="card narrow"><${UserForm} isNew fields=${[NAME, { ...PASSWORD, required: true, doc: "At least 8 characters." }, ROLES, PERMISSIONS]} user=${EMPTY} save=${save} text="Create" /></div>`;
}

export function User({ id }) {
  const path = `${service.paths.users}/${id}`;
  const { data, error, isLate, reload, set } = useLoad((signal) => get(path, null, signal), [path]);
  if (error) return html`<${UserCrumbs}>${id}<//><h1 class="sr">User ${id}</h1><div class="card"><${Failure} error=${error} retry=${reload} /></div>`;
  if (!data) return html`<${UserCrumbs}>${id}<//>${isLate && html`<div class="card narrow"><${Skeleton} /></div>`}`;
  const user = data.value;
  const save = async (body) => {
    set(await call("PATCH", path, { body }));
    note("Saved");
  };
  const block = async () => {
    if (await ask(`Block ${user.username}?`, "Logins and refreshes fail from now on. Access tokens end by themselves, after some minutes.", "Block")) save({ disabled: true }).catch(noteError);
  };
  return html`
    <${UserCrumbs}>${user.username}<//>
    <header class="head"><div class="titles"><h1><bdi>${user.username}</bdi> <span class="badge large" data-tone=${user.disabled ? "bad" : "good"}>${user.disabled ? "Blocked" : "Enabled"}</span></h1></div>
      <div class="actions">${user.disabled ? html`<${Button} kind="primary" onClick=${() => save({ disabled: false }).catch(noteError)}>Unblock<//>` : html`<${Button} kind="danger-text" onClick=${block}>Block<//>`}</div></header>
    <div class="columns even"><div class="main"><div class="card"><${UserForm} fields=${[ROLES, PERMISSIONS, CLAIMS, PASSWORD]} user=${user} save=${save} text="Save" /></div></div>
      <aside aria-label="About this user"><section class="card"><dl class="facts">
        <div><dt>Id</dt><dd>${user.id}</dd></div><div><dt>Created</dt><dd><${Time} value=${user.created_at} /></dd></div><div><dt>Changed</dt><dd><${Time} value=${user.updated_at} /></dd></div></dl>
        ${service.paths.log && /^\d+$/.test(user.id) && html`<p><a href=${href("/~log", [["user_id", String(user.id)]])}>Changes by this user</a></p>`}</section></aside></div>`;
}
