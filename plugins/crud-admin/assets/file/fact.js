// A file of a record that the reader does not change, and one of its history.

import { html } from "../vendor/preact.js";
import { Button, noteError } from "../ui/parts.js";
import { saveFile, saveOldFile } from "./bytes.js";
import { FileName, StoredThumbnail } from "./value.js";

/** A file with its picture and the way to save it. */
export const FileFact = ({ field, value }) => html`
  <div class="file-fact"><${StoredThumbnail} value=${value} kind="large" />
    <div class="about"><${FileName} value=${value} />
      <${Button} icon="download" onClick=${() => saveFile(field, value).catch(noteError)}>Download<//></div></div>`;

/** A file that a record had from a time on, as a button that saves it. */
export const OldFile = ({ path, time, value }) => html`
  <button type="button" class="link" title="Download"
    onClick=${() => saveOldFile(path, time, value.name).catch(noteError)}><${FileName} value=${value} /></button>`;
