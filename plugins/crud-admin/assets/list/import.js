// The import of a file, with the errors of its lines.

import { html, useState } from "../vendor/preact.js";
import { call } from "../api.js";
import { count } from "../format.js";
import { newKey } from "../record/save.js";
import { Button, Dialog, note } from "../ui/parts.js";

export function Import({ resource, close, reload }) {
  const [file, setFile] = useState(null);
  const [isPartial, setPartial] = useState(false);
  const [result, setResult] = useState(null);
  const [busy, setBusy] = useState(null);

  async function run(isDry) {
    setBusy(isDry ? "dry" : "real");
    setResult(null);
    const type = /\.(nd)?jsonl?$/i.test(file.name) ? "application/x-ndjson" : "text/csv";
    const headers = resource.idempotent && !isDry ? { "idempotency-key": newKey() } : {};
    const query = { mode: isPartial ? "partial" : "atomic", dry_run: isDry ? "true" : "" };
    try {
      const { value } = await call("POST", `${resource.path}/import`, { query, body: file, type, headers });
      setResult({ ...value, isDry });
      if (!isDry && value.failed === 0) {
        note(`${count(value.created)} records imported`);
        close();
      }
      if (!isDry) reload();
    } catch (error) {
      setResult({ created: 0, failed: error.errors.length, errors: error.errors, problem: error.message, isDry });
    }
    setBusy(null);
  }

  const footer = html`
    <${Button} disabled=${!file} busy=${busy === "dry"} onClick=${() => run(true)}>Check only<//>
    <${Button} kind="primary" disabled=${!file} busy=${busy === "real"} onClick=${() => run(false)}>Import<//>`;
  return html`
    <${Dialog} title=${`Import ${resource.label.toLowerCase()}`} onClose=${close} footer=${footer}>
      <div class="stack">
        <label class="field"><span>File</span>
          <input type="file" autofocus accept=".csv,.ndjson,.jsonl,text/csv"
            onChange=${(event) => { setFile(event.target.files[0] ?? null); setResult(null); }} />
          <small>Comma-separated values with the fields' names in the first line, or one JSON object a line.</small>
        </label>
        <label class="check">
          <input type="checkbox" checked=${isPartial} onChange=${(event) => setPartial(event.target.checked)} />
          <span>Import the valid lines even if others have errors</span></label>
        ${result && html`
          <div role="status" class=${`result ${result.failed > 0 ? "bad" : "good"}`}>
            ${result.failed > 0
              ? html`<strong>
                ${result.errors?.length ? `${count(result.errors.length)} errors`
                  : "Nothing is imported"}</strong> ${result.problem ?? ""}`
              : html`<strong>${count(result.created)} records ${result.isDry ? "are valid" : "imported"}</strong>`}
          </div>
          ${result.errors?.length > 0 && html`
            <table class="plain">
              <thead><tr><th scope="col">Line</th><th scope="col">Field</th><th scope="col">Error</th></tr></thead>
              <tbody>${result.errors.map(({ line, pointer, detail }, index) => html`
                <tr key=${index}><td>${line ?? "–"}</td><td>${pointer?.slice(1) ?? ""}</td>
                  <td>${detail}</td></tr>`)}</tbody></table>`}`}
      </div>
    <//>`;
}
