// Files that are sent: that of a record at once, and those of a new one after it is created.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { call, upload } from "../api.js";
import { recordPath } from "../schema.js";
import { ask, note, noteError } from "../ui/parts.js";
import { saveFile } from "./bytes.js";
import { FileField } from "./field.js";

/** The fields of files that the caller may send. */
export const sentFields = (resource) => resource.fields.filter((field) => field.file?.put);

const match = (etag) => (etag ? { "if-match": etag } : {});
const pathOfFile = (resource, key, field) => `${recordPath(resource, key)}/${field.name}`;
const isAlone = (resource) => sentFields(resource).length === 1;

/** The field of a record's file: each change is a request of its own. */
export function RecordFile({ resource, field, recordKey, record, etag, form, changed, reload }) {
  const [sent, setSent] = useState({});
  const [problem, setProblem] = useState(null);
  const abort = useRef(null);
  const path = pathOfFile(resource, recordKey, field);
  const value = record[field.name];
  // A record that is left takes its file with it.
  useEffect(() => () => abort.current?.abort(), []);

  /** Changes the file, which `done` says in words. */
  async function change(send, done) {
    setProblem(null);
    form.setSending(true);
    try {
      const answer = await send(match(etag));
      await (answer.value ? changed(answer) : reload());
      note(`${field.label} ${done}`);
    } catch (error) {
      if (error.status === 412) {
        if (!form.isDirty) await reload().catch(noteError);
        setProblem(form.isDirty ? "This record has changed meanwhile: save or discard your other changes first."
          : "This record has changed meanwhile. It is here as it is now: choose the file again.");
      } else if (error.name !== "AbortError") setProblem(error.message);
    }
    setSent({});
    form.setSending(false);
  }
  const take = (file) => change((headers) => {
    abort.current = new AbortController();
    setSent({ file, share: 0 });
    return upload(path, file, { headers, progress: (share) => setSent({ file, share }), signal: abort.current.signal });
  }, "saved");
  const remove = async () => {
    const isSure = await ask(`Remove ${field.label.toLowerCase()}?`, `“${value.name}” leaves this record.`, "Remove");
    return isSure && change((headers) => call("DELETE", path, { headers }), "removed");
  };
  return html`
    <${FileField} field=${field} value=${value} ...${sent} problem=${problem} isAlone=${isAlone(resource)}
      disabled=${form.isBusy || form.isSending} take=${take} cancel=${() => abort.current.abort()}
      remove=${field.file.delete && remove} save=${() => saveFile(field, value).catch(noteError)} />`;
}

/** The field of a new record's file, which is kept until there is a record. */
export const NewFile = ({ resource, field, files, set, sent, cancel, form }) => html`
  <${FileField} field=${field} file=${files[field.name]} share=${sent?.name === field.name ? sent.share : undefined}
    isAlone=${isAlone(resource)} disabled=${form.isBusy} cancel=${cancel}
    take=${(file) => set({ ...files, [field.name]: file })}
    remove=${() => set({ ...files, [field.name]: undefined })} />`;

/**
 * Sends the files of a record that has just been created, one after another. Returns the sentences about those that
 * were not saved: the record stays.
 */
export async function sendAll(resource, key, etag, files, { progress, signal }) {
  const failures = [];
  let tag = etag;
  for (const field of sentFields(resource).filter(({ name }) => files[name])) {
    const { name } = field;
    try {
      progress({ name, share: 0 });
      ({ etag: tag } = await upload(pathOfFile(resource, key, field), files[name],
        { headers: match(tag), progress: (share) => progress({ name, share }), signal }));
    } catch (error) {
      const reason = error.name === "AbortError" ? "it was cancelled." : error.message;
      failures.push(`“${files[name].name}” is not saved: ${reason}`);
    }
  }
  return failures;
}
