// The caller's API keys: programs send them in place of a login.

import { html, useState } from "../vendor/preact.js";
import { call, get } from "../api.js";
import { Ago } from "../format.js";
import { service } from "../schema.js";
import { useLoad } from "../ui/hooks.js";
import { Button, Dialog, Empty, Failure, Skeleton, ask, note, noteError } from "../ui/parts.js";
import { usePageTitle } from "../ui/title.js";
import { namesInput } from "./names.js";
import { UserForm } from "./user_form.js";

/** A key without anything, which the form of a new one begins with. */
const NEW_KEY = { roles: [], permissions: [] };

/** The fields of a new key, made once: a new component would lose what is typed. */
let keyFields = null;
const newKeyFields = () => (keyFields ??= [
  { name: "name", label: "Name", kind: "text", required: true, nullable: false, rules: { max_length: 50 },
    doc: "Letters, digits, “-”, “_” and “.”. The log has it." },
  ...ownNamesField("roles", "Roles", service.user?.roles ?? [], "role"),
  ...ownNamesField("permissions", "Permissions", service.user?.permissions ?? [], "permission"),
  { name: "expires_at", label: "Expires", kind: "datetime", required: false, nullable: true, rules: {},
    doc: "The key is refused from then on; never without a time." },
]);

/** A field of names that the caller has; none where it has none. */
const ownNamesField = (name, label, known, noun) => (known.length === 0 ? [] : [{
  name, label, kind: "text[]", doc: `Each ${noun} that the key has, of yours.`, rules: {}, required: false,
  nullable: false, input: namesInput(known, noun),
}]);

function NewKey({ close, made }) {
  const save = async (changes) => {
    const { value } = await call("POST", service.paths.keys, { body: { ...NEW_KEY, ...changes } });
    made(value);
  };
  return html`<${Dialog} title="New API key" onClose=${close}>
    <${UserForm} fields=${newKeyFields()} user=${NEW_KEY} save=${save} text="Make the key" isNew=${true} /><//>`;
}

/** The text of a new key, which is shown once. */
function ShownKey({ made, close }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(made.key);
      note("The key is copied");
    } catch {
      noteError(new Error("The browser does not copy it: select the text."));
    }
  };
  const footer = html`<${Button} icon="check" onClick=${copy}>Copy<//>
    <${Button} kind="primary" onClick=${close}>Done<//>`;
  return html`<${Dialog} title=${`API key ${made.name}`} onClose=${close} footer=${footer}>
    <p>Copy the key now: it is not shown again.</p>
    <pre class="code" aria-label="The key" tabindex="0">${made.key}</pre><//>`;
}

const NameBadges = ({ names }) => names.map((name) => html`<span class="badge" key=${name}>${name}</span> `);

export function Keys() {
  usePageTitle("API keys");
  const [isNew, setNew] = useState(false);
  const [made, setMade] = useState(null);
  const { data, error, isLate, isLoading, reload } = useLoad((signal) => get(service.paths.keys, {}, signal), []);
  const keys = data?.value.data;
  const revoke = async (key) => {
    const text = "Programs with it are refused from now on.";
    if (!(await ask(`Revoke the API key ${key.name}?`, text, "Revoke"))) return;
    await call("DELETE", `${service.paths.keys}/${key.id}`).then(() => note(`${key.name} is revoked`), noteError);
    reload();
  };
  const done = (value) => {
    setNew(false);
    setMade(value);
    reload();
  };
  return html`
    <header class="head">
      <div class="titles"><h1>API keys</h1><p class="muted">Programs call the service with them, as you.</p></div>
      <div class="actions"><${Button} icon="add" kind="primary" onClick=${() => setNew(true)}>New<//></div></header>
    <section class="card list">
      ${error ? html`<${Failure} error=${error} retry=${reload} />` : !keys ? isLate && html`<${Skeleton} />`
        : keys.length === 0
          ? html`<${Empty} icon="link" title="No key yet">Make one by <b>New</b>, for a program.<//>`
        : html`<div class="scroller" tabindex="0" role="region" aria-label="API keys">
          <table class=${isLoading ? "stale" : ""}>
            <thead><tr><th scope="col">Name</th><th scope="col">Rights</th><th scope="col">Last used</th>
              <th scope="col">Expires</th><th><span class="sr">Actions</span></th></tr></thead>
            <tbody>${keys.map((key) => html`
              <tr key=${key.id}>
                <td data-label="Name"><span class="value"><b><bdi>${key.name}</bdi></b></span></td>
                <td data-label="Rights"><span class="value">
                  <${NameBadges} names=${[...key.roles, ...key.permissions]} /></span></td>
                <td data-label="Last used"><span class="value">
                  ${key.last_used_at ? html`<${Ago} value=${key.last_used_at} />` : "Never"}</span></td>
                <td data-label="Expires"><span class="value">
                  ${key.expires_at ? html`<${Ago} value=${key.expires_at} />` : "Never"}</span></td>
                <td class="acts"><${Button} icon="delete" label=${`Revoke ${key.name}`} kind="quiet"
                  onClick=${() => revoke(key)} /></td></tr>`)}</tbody></table></div>`}
    </section>
    ${isNew && html`<${NewKey} close=${() => setNew(false)} made=${done} />`}
    ${made && html`<${ShownKey} made=${made} close=${() => setMade(null)} />`}`;
}
