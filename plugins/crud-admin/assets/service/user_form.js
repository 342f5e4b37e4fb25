// The form of a user.

import { html, useEffect, useState } from "../vendor/preact.js";
import { isSame } from "../json.js";
import { service } from "../schema.js";
import { errorsOf } from "../record/save.js";
import { Input } from "../record/inputs.js";
import { Button } from "../ui/parts.js";
import { namesInput } from "./names.js";

const userField = (name, label, kind, more = {}) => ({
  name, label, kind, doc: "", rules: {}, required: false, nullable: true, ...more,
});
const NAME = userField("username", "Name", "text", {
  required: true, nullable: false, rules: { max_length: 255 }, doc: "The name to log in with.",
});
const PASSWORD = userField("password", "Password", "text", {
  write_only: true, doc: "At least 8 characters. A new one ends the user's sessions.",
});
const NEW_PASSWORD = { ...PASSWORD, required: true, doc: "At least 8 characters." };
const CLAIMS = userField("claims", "Claims", "json", {
  nullable: false, doc: "Further claims of the user's tokens: an object.",
});

const namesField = (name, label, known, noun) =>
  userField(name, label, "text[]", { nullable: false, input: namesInput(known, noun) });

/** The fields of names, made once: a new component would lose what is typed. */
let namesFields = null;
const ofNames = () => (namesFields ??= [
  namesField("roles", "Roles", service.names.roles, "role"),
  namesField("permissions", "Permissions", service.names.permissions, "permission"),
]);

export const newFields = () => [NAME, NEW_PASSWORD, ...ofNames()];
export const changedFields = () => [...ofNames(), CLAIMS, PASSWORD];

/** A form of fields whose changes a function saves. */
export function UserForm({ fields, user, save, text, isNew }) {
  const [draft, setDraft] = useState(user);
  const [errors, setErrors] = useState({ byField: {}, others: [] });
  const [isBusy, setBusy] = useState(false);
  useEffect(() => setDraft(user), [user]);
  const isChanged = ([name, value]) => value !== null && !isSame(value, user[name] ?? null);
  const changes = Object.fromEntries(Object.entries(draft).filter(isChanged));
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    setErrors({ byField: {}, others: [] });
    await save(changes).catch((problem) => setErrors(errorsOf(problem, fields)));
    setBusy(false);
  };
  const input = (it, index) => html`
    <${Input} key=${`${it.name} ${user.updated_at}`} field=${it} value=${draft[it.name] ?? null} isNew=${isNew}
      error=${errors.byField[it.name]} autofocus=${isNew && index === 0}
      onChange=${(value) => setDraft((draft) => ({ ...draft, [it.name]: value }))} />`;
  const isDirty = Object.keys(changes).length > 0;
  return html`
    <form class="form" onSubmit=${submit} noValidate>
      ${errors.others.length > 0 && html`<div class="alert" role="alert">
        ${errors.others.map((text) => html`<p key=${text}>${text}</p>`)}</div>`}
      <div class="fields">${fields.map(input)}</div>
      ${(isNew || isDirty) && html`<div class="savebar">
        ${!isNew && html`<${Button} onClick=${() => setDraft(user)}>Discard<//>`}
        <button class="button primary" disabled=${isBusy} aria-busy=${isBusy}><span>${text}</span></button></div>`}
    </form>`;
}
