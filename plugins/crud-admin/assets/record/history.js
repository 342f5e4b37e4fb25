// The history of a record, newest first: each entry against its predecessor.

import { html, useState } from "../vendor/preact.js";
import { get } from "../api.js";
import { OldFile } from "../file/fact.js";
import { Ago, Time } from "../format.js";
import { useActor } from "../lookup.js";
import { isSame } from "../json.js";
import { href } from "../router.js";
import { recordPath, service, shownFields, words, writableFields } from "../schema.js";
import { useLoad } from "../ui/hooks.js";
import { Button, Dialog, Failure, Skeleton, note } from "../ui/parts.js";
import { Shown } from "./conflict.js";
import { update } from "./save.js";

const PAGE = 20;
/** The largest page of a history. */
const MOST = 100;
const ACTIONS = {
  create: "Created", update: "Changed", delete: "Deleted for good", soft_delete: "Deleted", restore: "Restored",
  link: "Linked", unlink: "Unlinked",
};

export function Actor({ entry }) {
  const name = useActor(entry.actor ?? null);
  return entry.actor === null || entry.actor === undefined ? html`<span class="muted">the program</span>`
    : html`<bdi>${name}</bdi>`;
}

export const actionText = (entry) => ACTIONS[entry.action] ?? words(entry.action);

/** The fields of an entry that people have changed: the service's own times say nothing new. */
function changesOf(resource, entry) {
  const changes = Object.entries(entry.changes ?? {});
  const fields = changes.map(([name, value]) =>
    ({ field: resource?.byName.get(name) ?? { name, label: words(name), kind: "text" }, value }));
  return fields.filter(({ field, value }) => !["updated_at", "created_at"].includes(field.role)
    && (entry.action !== "create" || value !== null));
}

/** A value that an entry has set; a file is read at the time of the entry, by the record's path. */
const SetValue = ({ field, value, path, entry, record = {} }) => (field.kind === "file" && value && path
  ? html`<${OldFile} path=${`${path}/${field.name}`} time=${entry.timestamp} value=${value} />`
  : html`<${Shown} field=${field} value=${value} record=${record} />`);

/** What an entry has changed: old and new values. */
export function Diff({ resource, entry, path }) {
  const changes = changesOf(resource, entry);
  const isUpdate = entry.action === "update";
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen || isUpdate ? changes : [];
  const number = changes.length;
  if (changes.length === 0) return null;
  return html`
    <dl class="diff">
      ${shown.map(({ field, value }) => html`
        <div key=${field.name}><dt>${field.label}</dt><dd>
          ${isUpdate && html`
            <del><${Shown} field=${field} value=${entry.previous?.[field.name] ?? null} record=${{}} /></del> <span
              class="muted" aria-label="is now">→</span> `}
          <ins><${SetValue} field=${field} value=${value} path=${path} entry=${entry} /></ins></dd></div>`)}
    </dl>
    ${shown.length < changes.length
      && html`<button type="button" class="link small" aria-expanded="false"
        onClick=${() => setOpen(true)}>${number === 1 ? "Its value" : `Its ${number} values`}</button>`}`;
}

/** The way to older entries: here up to a hundred, and then in the log. */
function Older({ resource, recordKey, limit, more }) {
  if (limit < MOST) return html`<${Button} kind="quiet" onClick=${more}>Older changes<//>`;
  const query = [["entity_type", resource.name], ["entity_id", recordKey]];
  return service.paths.log && html`<p><a href=${href("/~log", query)}>All changes in the log</a></p>`;
}

export function History({ resource, recordKey, record, etag, changed, canRestore }) {
  const [limit, setLimit] = useState(PAGE);
  const [asOf, setAsOf] = useState(null);
  const path = `${recordPath(resource, recordKey)}/history`;
  const { data, error, isLate, reload } = useLoad((signal) =>
    get(path, [["sort", "-timestamp"], ["limit", Math.min(limit, MOST)]], signal), [path, limit, etag]);
  const page = data?.value;
  return html`
    <section class="card history" aria-labelledby="history">
      <h2 id="history">History</h2>
      ${error ? html`<${Failure} error=${error} retry=${reload} />` : isLate ? html`<${Skeleton} lines=${4} />` : null}
      ${page?.unlogged && html`<p class="alert mild">Another program has changed this record without an entry.</p>`}
      <ol class="timeline">
        ${page?.data.map((entry) => html`
          <li key=${entry.id} data-action=${entry.action}>
            <p><strong>${entry.transition ? words(entry.transition) : actionText(entry)}</strong> by <${Actor}
              entry=${entry} /></p>
            <p class="muted small">${entry.timestamp && html`<${Ago} value=${entry.timestamp} />`}
              ${entry.timestamp
                && html` · <button type="button" class="link"
                  onClick=${() => setAsOf(entry)}>View this version</button>`}</p>
            <${Diff} resource=${resource} entry=${entry} path=${recordPath(resource, recordKey)} />
          </li>`)}
      </ol>
      ${page && page.data.length === 0 && html`<p class="muted">No change is logged.</p>`}
      ${page && page.data.length < page.total && html`
        <${Older} resource=${resource} recordKey=${recordKey} limit=${limit} more=${() => setLimit(limit + PAGE)} />`}
      ${asOf && html`
        <${Version} resource=${resource} recordKey=${recordKey} entry=${asOf} record=${record} etag=${etag}
          canRestore=${canRestore}
        close=${() => setAsOf(null)} changed=${(answer) => { setAsOf(null); changed(answer); }} />`}
    </section>`;
}

/** The record as it was after an entry, and the way back to it. */
function Version({ resource, recordKey, entry, record, etag, canRestore, close, changed }) {
  const [problem, setProblem] = useState(null);
  const [isBusy, setBusy] = useState(false);
  const { data, error, isLate } = useLoad((signal) =>
    get(recordPath(resource, recordKey), { as_of: entry.timestamp }, signal), [entry.id]);
  const then = data?.value;
  const writable = new Set(writableFields(resource, false).filter((field) => !field.write_only)
    .map(({ name }) => name));
  const differs = (name) => then && !isSame(then[name], record[name]);
  const body = then ? Object.fromEntries([...writable].filter(differs).map((name) => [name, then[name]])) : {};
  const restore = async () => {
    setBusy(true);
    try {
      const answer = await update(resource, recordKey, body, etag);
      note("This version is restored");
      changed(answer);
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  const footer = html`
    <${Button} onClick=${close}>Close<//>
    ${canRestore && html`
      <${Button} kind="primary" icon="restore" busy=${isBusy} disabled=${Object.keys(body).length === 0}
        onClick=${restore}>Restore this version<//>`}`;
  return html`
    <${Dialog} title="The record at that time" onClose=${close} footer=${footer}>
      <p class="muted"><${Time} value=${entry.timestamp} long /></p>
      ${problem && html`
        <div class="alert" role="alert">
          ${problem.errors.length > 0 ? problem.errors.map((it) => html`<p>${it.pointer?.slice(1)}: ${it.detail}</p>`)
            : html`<p>${problem.message}</p>`}</div>`}
      ${error ? html`<${Failure} error=${error} />` : isLate ? html`<${Skeleton} />` : null}
      ${then && html`
        <dl class="facts">${shownFields(resource).filter(({ name }) => name in then).map((field) => html`
          <div key=${field.name} class=${differs(field.name) ? "differs" : ""}>
            <dt>${field.label}${differs(field.name) && html` <span class="badge">differs</span>`}</dt>
            <dd><${SetValue} field=${field} value=${then[field.name]} path=${recordPath(resource, recordKey)}
              entry=${entry} record=${then} /></dd></div>`)}</dl>
        ${shownFields(resource).some((field) => field.kind === "file" && differs(field.name))
          && html`<p class="muted after">A file does not come back with the version: download it, and send it again.
            </p>`}`}
    <//>`;
}
