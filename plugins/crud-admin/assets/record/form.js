// The form of a record: what changes, its errors at its fields, and the bar that saves it.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { guardLeaving } from "../router.js";
import { writableFields } from "../schema.js";
import { isSame } from "../json.js";
import { useKey } from "../ui/hooks.js";
import { Button, ask } from "../ui/parts.js";
import { changed, errorsOf } from "./save.js";
import { Input } from "./inputs.js";

/** The values with which a form of a new record begins. */
export function initial(resource, given = {}) {
  const values = {};
  for (const field of writableFields(resource, true)) {
    if (field.name in given) values[field.name] = given[field.name];
    else if (field.default !== undefined) values[field.name] = field.default;
    else if (field.kind === "bool" && !field.nullable) values[field.name] = false;
  }
  return values;
}

/**
 * A form. `submit` gets the changed values; a problem that it throws is shown. `file` renders the field of a file,
 * which is sent by itself: a record that `keeps` what is typed has changed by that alone. `picked` files wait for
 * `submit`. `typed` is a reference that has the changed values.
 */
export function Form({
  resource, record, keeps, isNew, submit, submitText, canSave, extra, file, picked = 0, typed,
}) {
  const [draft, setDraft] = useState(record);
  const [errors, setErrors] = useState({ byField: {}, others: [] });
  const [isBusy, setBusy] = useState(false);
  const [isSending, setSending] = useState(false);
  const ref = useRef();
  const shown = useRef(record);
  useEffect(() => {
    // An equal record keeps what is typed: a reader may type before the first effect runs.
    if (isSame(shown.current, record)) return;
    const before = shown.current;
    shown.current = record;
    setDraft((draft) => (keeps ? { ...record, ...changed(draft, before) } : record));
    if (!keeps) setErrors({ byField: {}, others: [] });
  }, [record]);
  const fields = writableFields(resource, isNew);
  const isFile = (field) => file && field.file?.put;
  const inForm = resource.fields.filter((field) => fields.includes(field) || isFile(field));
  const changes = Object.fromEntries(fields.filter(({ name }) => !isSame(draft[name] ?? null, record[name] ?? null))
    .map(({ name }) => [name, draft[name] ?? null]));
  const number = Object.keys(changes).length + picked;
  const isDirty = number > 0;
  if (typed) typed.current = changes;

  useEffect(() => {
    if (!isDirty && !isSending) return undefined;
    const warn = (event) => event.preventDefault();
    addEventListener("beforeunload", warn);
    const release = guardLeaving(() => (isSending
      ? ask("Leave while a file is sent?", "The file is not saved then.", "Leave")
      : ask("Leave without saving?", `${number} ${number === 1 ? "field is" : "fields are"} changed.`, "Leave")));
    return () => {
      removeEventListener("beforeunload", warn);
      release();
    };
  }, [number, isSending]);

  async function save(event) {
    event?.preventDefault();
    if (isBusy || isSending || !canSave || (!isNew && !isDirty)) return;
    setBusy(true);
    setErrors({ byField: {}, others: [] });
    // A field that is left empty gets its default.
    const body = isNew
      ? Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== null && value !== undefined))
        : changes;
    try {
      await submit(body);
    } catch (error) {
      const found = errorsOf(error, fields);
      setErrors(found);
      const first = fields.find(({ name }) => found.byField[name]);
      setTimeout(() =>
        (first ? ref.current?.elements.namedItem(first.name)?.focus() : ref.current?.querySelector(".alert")?.focus()),
        0);
    }
    setBusy(false);
  }

  const form = { isDirty, isBusy, isSending, setSending };
  useKey((event) => (event.ctrlKey || event.metaKey) && event.key === "s", (event) => {
    event.preventDefault();
    save();
  });
  return html`
    <form ref=${ref} class="form" onSubmit=${save} noValidate>
      ${errors.others.length > 0
        && html`<div class="alert" role="alert" tabindex="-1">
          ${errors.others.map((text) => html`<p key=${text}>${text}</p>`)}</div>`}
      <div class="fields">
        ${inForm.map((field, index) => (isFile(field) ? file(field, form) : html`
          <${Input} key=${field.name} resource=${resource} field=${field} value=${draft[field.name]}
            error=${errors.byField[field.name]} isNew=${isNew}
            autofocus=${isNew && index === 0}
            onChange=${(value) => setDraft((draft) => ({ ...draft, [field.name]: value }))} />`))}
      </div>
      ${extra}
      ${canSave && (isNew || isDirty) && html`
        <div class="savebar">
          <span class="muted">${isNew ? "" : `${number} ${number === 1 ? "field" : "fields"} changed`}</span>
          ${!isNew && html`
            <${Button} onClick=${() => { setDraft(record); setErrors({ byField: {}, others: [] }); }}>Discard<//>`}
          <button class="button primary" disabled=${isBusy || isSending}
            aria-busy=${isBusy}><span>${submitText}</span></button>
        </div>`}
    </form>`;
}
