// A user of the service: roles, memberships and sessions.

import { html } from "../vendor/preact.js";
import { call, get } from "../api.js";
import { Time } from "../format.js";
import { learn } from "../lookup.js";
import { go, href } from "../router.js";
import { resourceNamed, service } from "../schema.js";
import { Children } from "../record/children.js";
import { useLoad } from "../ui/hooks.js";
import { Icon } from "../ui/icon.js";
import { Button, Failure, Skeleton, ask, note, noteError } from "../ui/parts.js";
import { usePageTitle } from "../ui/title.js";
import { UserForm, changedFields, newFields } from "./user_form.js";

const UserCrumbs = ({ children }) => html`
  <nav class="crumbs" aria-label="Place"><a href=${href("/~users")}>Users</a><${Icon} name="next" />
    <span aria-current="page"><bdi>${children}</bdi></span></nav>`;

export function NewUser() {
  const save = async (body) => {
    const { value } = await call("POST", service.paths.users, { body });
    note(`${value.username} may log in`);
    go(`/~users/${value.id}`);
  };
  const empty = { username: "", roles: [], permissions: [] };
  return html`<${UserCrumbs}>New<//><header class="head"><h1>New user</h1></header>
    <div class="card narrow">
      <${UserForm} isNew fields=${newFields()} user=${empty} save=${save} text="Create" /></div>`;
}

/** The records that say to which tenants a user belongs, where they are a resource. */
const Memberships = ({ user }) => service.resources
  .filter(({ members, byName }) => members && byName.get(members.user)?.ops?.includes("eq"))
  .map((resource) => html`
    <${Children} key=${resource.name} resource=${{ key: ["id"] }} record=${user}
      children=${{ resource: resource.name, label: "Memberships", by: [resource.members.user], nested: false }} />`);

const UserFacts = ({ user }) => html`
  <section class="card" aria-label="Facts"><dl class="facts">
    <div><dt>Id</dt><dd>${user.id}</dd></div>
    <div><dt>Created</dt><dd><${Time} value=${user.created_at} /></dd></div>
    <div><dt>Changed</dt><dd><${Time} value=${user.updated_at} /></dd></div></dl>
    ${service.paths.log
      && html`<p class="after"><a href=${href("/~log", [["user_id", String(user.id)]])}>Changes by this user</a></p>`}
  </section>`;

/** The sessions: a blocked user has none. */
function Sessions({ user, path, reload }) {
  const end = async () => {
    const text = "Each browser and program has to log in again. Access tokens end by themselves, after some minutes.";
    if (!(await ask(`End all sessions of ${user.username}?`, text, "End sessions"))) return;
    try {
      await call("PATCH", path, { body: { end_sessions: true } });
      note(`The sessions of ${user.username} are ended`);
    } catch (error) {
      noteError(error);
    }
    reload();
  };
  const text = user.disabled ? "A blocked user has none." : "A new password ends them too.";
  return html`
    <section class="card" aria-label="Sessions"><h2>Sessions</h2><p class="muted small">${text}</p>
      ${!user.disabled
        && html`<p class="after"><${Button} icon="out" onClick=${end}>End all sessions<//></p>`}</section>`;
}

export function User({ id }) {
  const path = `${service.paths.users}/${id}`;
  const { data, error, isLate, reload, set } = useLoad((signal) => get(path, null, signal), [path]);
  usePageTitle(data?.value.username);
  if (error) {
    return html`<${UserCrumbs}>${id}<//><h1 class="sr">User ${id}</h1>
      <div class="card"><${Failure} error=${error} retry=${reload} /></div>`;
  }
  if (!data) return html`<${UserCrumbs}>${id}<//>${isLate && html`<div class="card narrow"><${Skeleton} /></div>`}`;
  const user = data.value;
  learn(resourceNamed("AuthUser"), [user]);
  // Whoever ends the own sessions in two steps could not take the second one.
  const isSelf = String(user.id) === service.user?.subject;
  const save = async (body) => {
    set(await call("PATCH", path, { body }));
    note("Saved");
  };
  const block = async () => {
    const text = "Logins and refreshes fail from now on. Access tokens end by themselves, after some minutes.";
    if (await ask(`Block ${user.username}?`, text, "Block")) save({ disabled: true }).catch(noteError);
  };
  const unblock = () => save({ disabled: false }).catch(noteError);
  return html`
    <${UserCrumbs}>${user.username}<//>
    <header class="head">
      <div class="titles"><h1><bdi>${user.username}</bdi>${" "}
        <span class="badge large" data-tone=${user.disabled ? "bad" : "good"}>
          ${user.disabled ? "Blocked" : "Enabled"}</span></h1></div>
      <div class="actions">${user.disabled
        ? html`<${Button} kind="primary" onClick=${unblock}>Unblock<//>`
        : !isSelf && html`<${Button} kind="danger-text" onClick=${block}>Block<//>`}</div>
    </header>
    <div class="columns even">
      <div class="main">
        <div class="card"><${UserForm} fields=${changedFields()} user=${user} save=${save} text="Save" /></div>
        <${Memberships} user=${user} />
      </div>
      <aside aria-label="About this user"><${UserFacts} user=${user} />
        ${!isSelf && html`<${Sessions} user=${user} path=${path} reload=${reload} />`}</aside>
    </div>`;
}
