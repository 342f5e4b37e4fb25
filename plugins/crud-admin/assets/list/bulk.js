// Actions on several records, with each record's error.

import { html, useState } from "../vendor/preact.js";
import { call } from "../api.js";
import { Input } from "../record/inputs.js";
import { actionsOf } from "../modules.js";
import { recordPath, writableFields } from "../schema.js";
import { newKey } from "../record/save.js";
import { Button, Dialog, Menu, ask, note } from "../ui/parts.js";

/** The key of a record as bodies of batches have it. */
function keyValue(resource, records, key) {
  const record = records.get(key);
  return resource.key.length === 1 ? record[resource.key[0]]
    : Object.fromEntries(resource.key.map((name) => [name, record[name]]));
}

/** Whether the service takes several at once. */
const hasBatch = (resource, operation) => resource.batch && resource.key.length === 1 && resource.may.has(operation);

/** Sends a request for each record, and returns the errors by key. */
async function oneByOne(keys, send) {
  const errors = [];
  let done = 0;
  for (const key of keys) {
    try {
      await send(key);
      done += 1;
    } catch (error) {
      errors.push({ key, text: error.message });
    }
  }
  return { done, errors };
}

/** Sends batches of at most the resource's size. */
async function inBatches(resource, keys, send) {
  const errors = [];
  let done = 0;
  for (let start = 0; start < keys.length; start += resource.batch) {
    const some = keys.slice(start, start + resource.batch);
    try {
      const { value } = await send(some);
      const failed = value.errors ?? [];
      done += some.length - failed.length;
      errors.push(...failed.map(({ index, detail }) => ({ key: some[index], text: detail })));
    } catch (error) {
      const ofItems = error.errors.filter(({ index }) => index !== undefined);
      errors.push(...(ofItems.length > 0
        ? ofItems.map(({ index, detail }) => ({ key: some[index], text: detail }))
        : some.map((key) => ({ key, text: error.message }))));
    }
  }
  return { done, errors };
}

const options = (resource) => (resource.idempotent ? { headers: { "idempotency-key": newKey() } } : {});

function removal(resource, keys, records) {
  if (!hasBatch(resource, "batch_delete")) return oneByOne(keys,
    (key) => call("DELETE", recordPath(resource, key), options(resource)));
  const send = (some) => call("POST", `${resource.path}/batch/delete`, {
    body: { ids: some.map((key) => keyValue(resource, records, key)) }, ...options(resource),
  });
  return inBatches(resource, keys, send);
}

function change(resource, keys, records, fields) {
  if (!hasBatch(resource, "batch_update")) {
    return oneByOne(keys, (key) => call("PATCH", recordPath(resource, key), { body: fields, ...options(resource) }));
  }
  const items = (some) => some.map((key) => ({ ...fields, [resource.key[0]]: keyValue(resource, records, key) }));
  const send = (some) => call("PUT", `${resource.path}/batch`, { body: { items: items(some) }, ...options(resource) });
  return inBatches(resource, keys, send);
}

export function Bulk({ resource, records, selected, clear, reload }) {
  const [failures, setFailures] = useState([]);
  const [isEditing, setEditing] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const number = selected.length;
  const nouns = number === 1 ? "1 record" : `${number} records`;
  const chosen = selected.map((key) => records.get(key));
  const areDeleted = resource.deleted_at && chosen.every((record) => record?.[resource.deleted_at]);

  async function run(words, work) {
    setBusy(true);
    const { done, errors } = await work();
    setBusy(false);
    setFailures(errors);
    if (done > 0) note(`${done} ${done === 1 ? "record" : "records"} ${words}`);
    if (errors.length === 0) clear();
    reload();
  }

  const remove = async () => {
    const text = resource.deleted_at ? "They can be restored from the list of deleted records."
      : "This cannot be undone.";
    if (await ask(`Delete ${nouns}?`, text, "Delete")) run("deleted", () => removal(resource, selected, records));
  };
  const restore = () =>
    run("restored",
      () => oneByOne(selected, (key) => call("POST", `${recordPath(resource, key)}/restore`, options(resource))));
  const transitions = resource.fields.flatMap((field) => (field.transitions ?? []).filter(({ can }) => can));
  const move = ({ name, label }) => run(`changed: ${label.toLowerCase()}`, () =>
    oneByOne(selected, (key) => call("POST", `${recordPath(resource, key)}/${name}`, options(resource))));
  const editable = writableFields(resource, false).filter((field) => !field.write_only);
  return html`
    ${number > 0 && html`
      <div class="bulk" role="toolbar" aria-label="Selected records" aria-busy=${isBusy}>
        <strong>${nouns} selected</strong>
        ${resource.may.has("update") && !areDeleted && editable.length > 0
          && html`<${Button} icon="edit" disabled=${isBusy} onClick=${() => setEditing(true)}>Set a field<//>`}
        ${transitions.length > 0 && !areDeleted && html`
          <${Menu} icon="next" text="Change state">${(close) => html`<ul class="items">${transitions.map((it) => html`
            <li key=${it.name}><button type="button" onClick=${() => { close(); move(it); }}>${it.label}</button>
            </li>`)}</ul>`}<//>`}
        ${actionsOf(resource)
          .map(({ label, run: act }) =>
            html`<${Button} key=${label} disabled=${isBusy}
              onClick=${() => run("done", () => oneByOne(selected, (key) => act({ key, record: records.get(key) })))}>
              ${label}<//>`)}
        ${areDeleted && resource.may.has("restore")
          && html`<${Button} icon="restore" disabled=${isBusy} onClick=${restore}>Restore<//>`}
        ${!areDeleted && resource.may.has("delete")
          && html`<${Button} icon="delete" kind="danger-text" disabled=${isBusy} onClick=${remove}>Delete<//>`}
        <span class="space" /><${Button} icon="close" label="Clear the selection" kind="quiet" onClick=${clear} />
      </div>`}
    ${isEditing && html`<${SetField} fields=${editable} nouns=${nouns} close=${() => setEditing(false)}
      apply=${(fields) =>
        { setEditing(false); run("changed", () => change(resource, selected, records, fields)); }} />`}
    ${failures.length > 0 && html`
      <${Dialog} title="Some records are as they were" onClose=${() => setFailures([])}>
        <table class="plain"><thead><tr><th scope="col">Record</th><th scope="col">Reason</th></tr></thead>
          <tbody>${failures.map(({ key, text }) => html`<tr key=${key}><td>${key}</td><td>${text}</td></tr>`)}</tbody>
          </table>
      <//>`}`;
}

function SetField({ fields, nouns, apply, close }) {
  const [name, setName] = useState(fields[0].name);
  const [value, setValue] = useState(null);
  const field = fields.find((field) => field.name === name);
  const submit = (event) => {
    event.preventDefault();
    apply({ [name]: value });
  };
  const footer = html`<${Button} onClick=${close}>Cancel<//>
    <button class="button primary" form="set"><span>Change ${nouns}</span></button>`;
  return html`
    <${Dialog} title=${`Set a field of ${nouns}`} kind="small" onClose=${close} footer=${footer}>
      <form id="set" class="stack" onSubmit=${submit}>
        <label class="field"><span>Field</span>
          <select value=${name} onChange=${(event) => { setName(event.target.value); setValue(null); }}>
            ${fields.map((field) => html`<option key=${field.name} value=${field.name}>${field.label}</option>`)}
          </select></label>
        <${Input} key=${name} field=${{ ...field, label: "New value", doc: "" }} value=${value} onChange=${setValue} />
      </form>
    <//>`;
}
