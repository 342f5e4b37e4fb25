// The page of a record: its form, its state, what refers to it, and its history.

import { html, useRef, useState } from "../vendor/preact.js";
import { get } from "../api.js";
import { FileFact } from "../file/fact.js";
import { NewFile, RecordFile, sendAll, sentFields } from "../file/send.js";
import { Time, Value, tone } from "../format.js";
import { Reference } from "../list/fields.js";
import { withMark } from "../live.js";
import { forget, learn } from "../lookup.js";
import { actionsOf } from "../modules.js";
import { go, href, leaveFreely } from "../router.js";
import { isSame } from "../json.js";
import { keyOf, labelOf, recordPath, resourceNamed, shownFields, titleOf, writableFields } from "../schema.js";
import { useLoad } from "../ui/hooks.js";
import { Button, Failure, Skeleton, ask, note, noteError } from "../ui/parts.js";
import { usePageTitle } from "../ui/title.js";
import { Icon } from "../ui/icon.js";
import { Children } from "./children.js";
import { Links } from "./links.js";
import { Conflict } from "./conflict.js";
import { Form, initial } from "./form.js";
import { History } from "./history.js";
import { News, useLiveRecord } from "./live.js";
import { Nested, nestedFields } from "./nested.js";
import { create, errorsOf, purge, remove, restore, transition, update } from "./save.js";

export const Crumbs = ({ resource, children }) => html`
  <nav class="crumbs" aria-label="Place"><a href=${href(resource.path)}>${resource.label}</a><${Icon} name="next" />
    <span aria-current="page"><bdi>${children}</bdi></span></nav>`;

const nestedOf = (resource) => resource.children.filter((children) => children.nested);

/** A record whose nested records are among its values, for the form. */
function withNested(resource, record) {
  const all = nestedOf(resource)
    .map((children) => [children.name, (record[children.name]?.data ?? record[children.name] ?? [])]);
  return { ...record, ...Object.fromEntries(all) };
}

/** The items of a body by which nested records become these rows: what is not named stays. */
function items(children, rows, before = []) {
  const [key] = resourceNamed(children.resource).key;
  const names = nestedFields(children).map(({ name }) => name);
  const written = rows.map((row) => {
    const old = before.find((other) => isSame(other[key], row[key]));
    const some = names.filter((name) =>
      (old ? !isSame(old[name], row[name]) : row[name] !== null && row[name] !== undefined));
    const fields = Object.fromEntries(some.map((name) => [name, row[name]]));
    return old ? some.length > 0 && { [key]: row[key], ...fields } : fields;
  });
  const removed = before.filter((old) => !rows.some((row) => isSame(row[key], old[key])));
  return [...written.filter(Boolean), ...removed.map((old) => ({ [key]: old[key], _delete: true }))];
}

/** A body whose nested records are the items that change those of a record. */
function bodyOf(resource, values, record) {
  const body = { ...values };
  for (const children of nestedOf(resource)) {
    if (children.name in body) body[children.name] = items(children, body[children.name], record?.[children.name]);
  }
  return body;
}

export function NewRecord({ resource, query }) {
  usePageTitle(`New ${resource.one.toLowerCase()}`);
  const given = Object.fromEntries(query.flatMap(([name, value]) => {
    const field = resource.byName.get(name);
    if (!field || name.includes(".")) return [];
    return [[name,
      field.kind === "int" && /^-?\d+$/.test(value) ? Number(value) : field.kind === "bool" ? value === "true"
        : value]];
  }));
  const [record] = useState(() => initial(resource, given));
  const [nested, setNested] = useState({});
  const [files, setFiles] = useState({});
  const [sent, setSent] = useState(null);
  const abort = useRef(null);
  const submit = async (body) => {
    const { value, etag } = await create(resource, bodyOf(resource, { ...body, ...nested }));
    learn(resource, [value]);
    last = [recordPath(resource, keyOf(resource, value)), value];
    abort.current = new AbortController();
    const failures = resource.key.length === 0 ? []
      : await sendAll(resource, keyOf(resource, value), etag, files,
        { progress: setSent, signal: abort.current.signal });
    note(`${titleOf(resource, value)} is created`, resource.may.has("get") && {
      action: { label: "New one", run: () => go(`${resource.path}/new`, query) },
    });
    for (const failure of failures) note(failure, { isError: true });
    // After the form, which then has no changes to guard.
    leaveFreely();
    setTimeout(() =>
      go(resource.may.has("get") && resource.key.length > 0 ? recordPath(resource, keyOf(resource, value))
        : resource.path), 0);
  };
  const extra = nestedOf(resource).map((children) => html`
    <${Nested} key=${children.name} children=${children} rows=${nested[children.name] ?? []}
      onChange=${(rows) => setNested({ ...nested, [children.name]: rows })} />`);
  return html`
    <${Crumbs} resource=${resource}>New<//>
    <header class="head"><h1>New ${resource.one.toLowerCase()}</h1></header>
    <div class="card narrow">
      <${Form} resource=${resource} record=${record} isNew submit=${submit} submitText="Create" canSave
        extra=${extra} picked=${Object.values(files).filter(Boolean).length} file=${(field, form) => html`
          <${NewFile} key=${field.name} resource=${resource} field=${field} files=${files} set=${setFiles} sent=${sent}
            cancel=${() => abort.current.abort()} form=${form} />`} /></div>`;
}

/** The last answer to a change, until its record is read again. */
let last = [];

/** Shows a computed text of the last answer that the record does not have, such as a secret, once. */
function showOnce(resource, path, record) {
  const [of, value] = last;
  last = [];
  for (const { name, label, computed } of resource.fields) {
    if (of === path && computed && value?.[name] && !record[name]) ask(label, value[name], "Copied", "primary");
  }
}

async function loadRecord(resource, key, signal) {
  const nested = nestedOf(resource).map(({ name }) => name).join(",");
  const read = (query) => get(recordPath(resource, key), { ...query, expand: nested }, signal);
  const answer = await read({}).catch((error) => {
    if (error.status !== 404 || !resource.deleted_at || !resource.may.has("restore")) throw error;
    return read({ include_deleted: "true" });
  });
  learn(resource, [answer.value]);
  showOnce(resource, recordPath(resource, key), answer.value);
  return { record: withNested(resource, answer.value), etag: answer.etag };
}

/** The states that the record may be given now, and routes of the program, as buttons. */
function Transitions({ resource, record, etag, recordKey, canSave, changed, reload }) {
  const [busy, setBusy] = useState(null);
  const run = async ({ name, label, from }) => {
    setBusy(name);
    await transition(resource, recordKey, name, from && etag).then((answer) => {
      note(label);
      if (from) return changed(answer);
      last = [recordPath(resource, recordKey), answer.value];
      return reload();
    }).catch(noteError);
    setBusy(null);
  };
  const legal = canSave && resource.fields.flatMap((field) =>
    (field.transitions ?? []).filter(({ can, from }) => can && from.includes(record[field.name])));
  return [legal, resource.buttons].flat().filter(Boolean).map((it) =>
    html`<${Button} key=${it.name} busy=${busy === it.name} onClick=${() => run(it)}>${it.label}<//>`);
}

/** What the service sets, and what no form of this caller changes. */
function Facts({ resource, record, canSave }) {
  const edited = canSave ? [...writableFields(resource, false), ...sentFields(resource)] : [];
  const inForm = new Set(edited.map(({ name }) => name));
  const facts = shownFields(resource)
    .filter(({ name, role }) => !inForm.has(name) && role !== "is_deleted" && (role !== "deleted_at" || record[name]));
  return html`
    <section class="card" aria-label="Facts"><dl class="facts">
      ${facts.map((field) => html`
        <div key=${field.name}><dt>${field.label}</dt>
          <dd>${field.refers ? html`<${Reference} field=${field} record=${record} />`
          : field.kind === "file" && record[field.name]
            ? html`<${FileFact} field=${field} value=${record[field.name]} />`
          : field.kind === "datetime" && record[field.name] ? html`<${Time} value=${record[field.name]} />`
            : html`<${Value} field=${field} value=${record[field.name]} />`}</dd></div>`)}
    </dl></section>`;
}

export function Record({ resource, recordKey }) {
  const load = (signal) => withMark(() => loadRecord(resource, recordKey, signal));
  const { data, error, isLate, reload, set } = useLoad(load, [resource.path, recordKey]);
  const [conflict, setConflict] = useState(null);
  // Lines that are edited belong to the record as it was read: another answer has its own.
  const [edit, setEdit] = useState({ of: null, lines: null, errors: null });
  const { lines: nested, errors: nestedErrors } = edit.of === data ? edit : { lines: null, errors: null };
  const setNested = (lines) => setEdit({ of: data, lines, errors: null });
  const typed = useRef({});
  const [news, setNews] = useLiveRecord({
    resource, recordKey, data, set, load,
    isTyping: () => Object.keys(typed.current).length > 0 || Boolean(nested),
  });
  usePageTitle(data && titleOf(resource, data.record));
  if (error) return html`<${Crumbs} resource=${resource}>${recordKey}<//>
    <h1 class="sr">${resource.one} ${recordKey}</h1>
    <div class="card"><${Failure} error=${error} retry=${reload} /></div>`;
  if (!data) return html`<${Crumbs} resource=${resource}>${recordKey}<//>
    ${isLate && html`<div class="card narrow"><${Skeleton} lines=${10} /></div>`}`;
  const { record, etag } = data;
  const title = titleOf(resource, record);
  const isDeleted = Boolean(resource.deleted_at && record[resource.deleted_at]);
  const canSave = resource.may.has("update") && !isDeleted;
  const hasHistory = resource.audit && resource.may.has("history");
  const changed = async (answer, keeps = false) => {
    forget(resource, recordKey);
    const isWhole = nestedOf(resource).length === 0;
    const whole = isWhole ? { record: answer.value, etag: answer.etag } : await loadRecord(resource, recordKey);
    const next = { ...whole, keeps };
    set(next);
    if (keeps) setEdit((edit) => (edit.of === data ? { ...edit, of: next } : edit));
  };
  const file = (field, form) => html`
    <${RecordFile} key=${field.name} resource=${resource} field=${field} recordKey=${recordKey} record=${record}
      etag=${etag} form=${form} changed=${(answer) => changed(answer, true)}
      reload=${async () => set({ ...await loadRecord(resource, recordKey), keeps: true })} />`;

  const save = async (body) => {
    const whole = bodyOf(resource, { ...body, ...nested }, record);
    try {
      const answer = await update(resource, recordKey, whole, etag);
      await changed(answer);
      note("Saved");
    } catch (problem) {
      if (problem.status !== 412) throw problem;
      setConflict({ mine: body, theirs: await loadRecord(resource, recordKey) });
    }
  };
  const saveLines = () => save({}).catch((problem) =>
    setEdit({ of: data, lines: nested, errors: errorsOf(problem, []).others.join("; ") }));
  const saveOver = async (body) => {
    const { theirs } = conflict;
    setConflict(null);
    if (Object.keys(body).length === 0) return set(theirs);
    await update(resource, recordKey, body, theirs.etag).then(changed).then(() => note("Saved"), noteError);
    return undefined;
  };
  const compare = (theirs) => {
    setNews(null);
    if (Object.keys(typed.current).length > 0) setConflict({ mine: typed.current, theirs });
    else set(theirs);
  };
  const removeIt = async () => {
    const text = resource.deleted_at ? "It can be restored later." : "This cannot be undone.";
    if (!(await ask(`Delete ${title}?`, text, "Delete"))) return;
    await remove(resource, recordKey, etag).then(() => {
      leaveFreely();
      forget(resource, recordKey);
      const undo = { label: "Undo",
        run: () => restore(resource, recordKey).then(() => go(recordPath(resource, recordKey)), noteError) };
      note(`${title} is deleted`, { action: resource.deleted_at && resource.may.has("restore") ? undo : null });
      go(resource.path);
    }, noteError);
  };
  const restoreIt = () => restore(resource, recordKey)
    .then((answer) => { note("Restored"); return changed(answer); }, noteError);
  const purgeIt = async () => {
    if (!(await ask(`Remove ${title} for good?`, "Its record leaves the database. This cannot be undone.",
      "Remove"))) return;
    await purge(resource, recordKey).then(() => { note(`${title} is removed`); go(resource.path); }, noteError);
  };
  const state = resource.fields.find((field) => field.kind === "enum"
    && (field.transitions?.length > 0 || field.name === "status"));
  const extra = canSave && nestedOf(resource).map((children) => html`
    <${Nested} key=${children.name} children=${children} rows=${nested?.[children.name] ?? record[children.name]}
      errors=${nestedErrors}
      onChange=${(rows) => setNested({ ...nested, [children.name]: rows })} />`);
  const tables = resource.children.filter((children) => !children.nested || !canSave);
  return html`
    <${Crumbs} resource=${resource}>${title}<//>
    <header class="head">
      <div class="titles"><h1><bdi>${title}</bdi>
        ${state && record[state.name] != null
          && html` <span class="badge large" data-tone=${tone(record[state.name])}>
            ${labelOf(state, record[state.name])}</span>`}
        ${isDeleted && html` <span class="badge large" data-tone="bad">Deleted</span>`}</h1></div>
      <div class="actions">
        ${!isDeleted && html`
          <${Transitions} resource=${resource} record=${record} etag=${etag} recordKey=${recordKey} canSave=${canSave}
            changed=${changed} reload=${reload} />`}
        ${!isDeleted && actionsOf(resource)
          .map(({ label, run }) =>
            html`<${Button} key=${label}
              onClick=${() => Promise.resolve(run({ key: recordKey, record })).then(reload, noteError)}>${label}<//>`)}
        ${isDeleted && resource.may.has("restore")
          && html`<${Button} icon="restore" kind="primary" onClick=${restoreIt}>Restore<//>`}
        ${isDeleted && resource.may.has("purge")
          && html`<${Button} icon="delete" kind="danger-text" onClick=${purgeIt}>Remove for good<//>`}
        ${!isDeleted && resource.may.has("delete")
          && html`<${Button} icon="delete" kind="danger-text" onClick=${removeIt}>Delete<//>`}
      </div>
    </header>
    <div class=${`columns ${hasHistory ? "" : "even"}`}>
      <div class="main">
        ${canSave && html`
          <div class="card">
            <${Form} resource=${resource} record=${nested ? { ...record } : record} submit=${save} submitText="Save"
              canSave extra=${extra} keeps=${data.keeps} file=${file} typed=${typed} />
          ${nested && html`
            <div class="savebar"><span class="muted">Lines changed</span>
              <${Button} onClick=${() => setNested(null)}>Discard lines<//>
              <${Button} kind="primary" onClick=${saveLines}>Save lines<//></div>`}</div>`}
        ${!canSave && html`<${Facts} resource=${resource} record=${record} canSave=${false} />`}
        ${resource.links.map((links) =>
          html`<${Links} key=${links.name} resource=${resource} record=${record} links=${links} />`)}
        ${tables.map((children) =>
          html`<${Children} key=${children.name} resource=${resource} record=${record} children=${children} />`)}
        <${News} news=${news} compare=${compare} />
      </div>
      <aside aria-label="About this record">
        ${canSave && html`<${Facts} resource=${resource} record=${record} canSave />`}
        ${hasHistory && html`
          <${History} resource=${resource} recordKey=${recordKey} record=${record} etag=${etag} changed=${changed}
            canRestore=${canSave} />`}
      </aside>
    </div>
    ${conflict && html`
      <${Conflict} resource=${resource} base=${record} mine=${conflict.mine} theirs=${conflict.theirs.record}
        save=${saveOver}
      takeTheirs=${() => { set(conflict.theirs); setConflict(null); }} close=${() => setConflict(null)} />`}`;
}
