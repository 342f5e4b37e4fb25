// The field of a file in a form: picked, dropped or pasted.

import { html, useEffect, useId, useRef, useState } from "../vendor/preact.js";
import { isTyping, useListeners } from "../ui/hooks.js";
import { Icon } from "../ui/icon.js";
import { Button } from "../ui/parts.js";
import { FileName, StoredThumbnail, Thumbnail, isPicture } from "./value.js";
import { limitsText, refusal } from "./words.js";

const hasFiles = (event) => event.dataTransfer?.types.includes("Files");

/** A URL of a picked picture. */
function usePicked(file) {
  const [url, setUrl] = useState(null);
  useEffect(() => {
    if (!file || !isPicture(file)) return undefined;
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => {
      URL.revokeObjectURL(made);
      setUrl(null);
    };
  }, [file]);
  return url;
}

/** The share of a file that is sent; then the service checks it. */
const Progress = ({ name, share }) => html`
  <span class="row"><progress max="1" value=${share < 1 ? share : undefined} aria-label=${`Sending ${name}`} />
    <span class="muted">${share < 1 ? `${Math.floor(share * 100)} %` : "Checking …"}</span></span>`;

/**
 * The field. `value` is the stored file, `file` the picked one, and `share` what is sent of it. `take` gets a file that
 * fits; one is pasted into the page where the field is the only one, and empty.
 */
export function FileField({ field, value, file, share, problem, isAlone, disabled, take, cancel, remove, save }) {
  const id = useId();
  const ref = useRef();
  const input = useRef();
  const [isOver, setOver] = useState(false);
  const [wrong, setWrong] = useState(null);
  const picked = usePicked(file);
  const isSending = share !== undefined;
  const shown = file ?? value;
  const error = wrong ?? problem;
  const takeOne = (files) => {
    if (isSending || disabled || files.length === 0) return;
    const reason = files.length > 1 ? `One file fits here, and not ${files.length}.` : refusal(field.file, files[0]);
    setWrong(reason);
    if (!reason) take(files[0]);
  };
  const drop = (event) => {
    // The browser opens a file that is dropped beside the field, too.
    if (hasFiles(event)) event.preventDefault();
    const isHere = hasFiles(event) && ref.current.contains(event.target);
    setOver(isHere && event.type === "dragover");
    if (isHere && event.type === "drop") takeOne([...event.dataTransfer.files]);
  };
  useListeners({
    dragover: drop,
    drop,
    paste: (event) => {
      const { files } = event.clipboardData;
      const isHere = ref.current.contains(event.target) || (isAlone && !shown && !isTyping(event));
      if (files.length === 0 || !isHere) return;
      event.preventDefault();
      takeOne([...files]);
    },
  });
  // The button that had the focus gives way to another one.
  useEffect(() => {
    if (file && document.activeElement === document.body) ref.current.querySelector(".button")?.focus();
  }, [isSending]);
  return html`
    <div class=${`field whole ${error ? "wrong" : ""}`} ref=${ref}>
      <span id=${`${id}-label`}>${field.label} <span class="optional">optional</span></span>
      <div class=${`drop ${isOver ? "over" : ""}`} role="group" aria-labelledby=${`${id}-label`}
        aria-describedby=${`${id}-hint`}>
        ${file || !value ? html`<${Thumbnail} url=${picked} kind="large" />`
          : html`<${StoredThumbnail} value=${value} kind="large" />`}
        <div class="about">
          <p>${shown ? html`<${FileName} value=${shown} />` : "No file"}</p>
          ${isSending && html`<${Progress} name=${file.name} share=${share} />`}
          <div class="row wrap">
            ${isSending ? html`<${Button} icon="close" onClick=${cancel}>Cancel<//>` : html`
              <${Button} icon="upload" disabled=${disabled}
                onClick=${() => input.current.click()}>${shown ? "Replace" : "Choose a file"}<//>
              ${value && html`<${Button} icon="download" onClick=${save}>Download<//>`}
              ${shown && remove && html`<${Button} icon="delete" kind="danger-text" disabled=${disabled}
                onClick=${() => { setWrong(null); remove(); }}>Remove<//>`}`}
          </div>
        </div>
        <input type="file" hidden ref=${input} accept=${field.file.types?.join()} onChange=${({ target }) => {
          takeOne([...target.files]);
          target.value = "";
        }} />
      </div>
      <div class="hint" id=${`${id}-hint`}>
        ${error && html`<p class="error" role="alert"><${Icon} name="close" />${error}</p>`}
        <p>${limitsText(field.file)}Drop a file here, or paste one.</p>
      </div>
    </div>`;
}
