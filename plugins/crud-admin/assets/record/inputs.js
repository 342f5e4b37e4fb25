// The inputs of fields, each for a kind of value.

import { html, useEffect, useId, useState } from "../vendor/preact.js";
import { follow } from "../api.js";
import { zone } from "../format.js";
import { Raw, integer, parse, write } from "../json.js";
import { inputOf } from "../modules.js";
import { labelOf } from "../schema.js";
import { Button } from "../ui/parts.js";
import { Icon } from "../ui/icon.js";
import { Picker } from "./picker.js";

/** A field with its label, its hint and its error. */
export function Input({ resource, field, value, onChange, error, isNew, isFilter, autofocus }) {
  const id = useId();
  const doc = saysMore(field) ? field.doc : "";
  const hint = doc || error || field.kind === "datetime";
  const Own = field.input ?? inputOf(resource, field) ?? kindOf(field);
  const attributes = {
    id, name: field.name, "aria-describedby": hint ? `${id}-hint` : undefined,
    "aria-invalid": error ? "true" : undefined,
    "aria-required": field.required && !isFilter ? "true" : undefined, autofocus,
  };
  const isOptional = field.nullable && !isFilter && field.kind !== "bool" && !field.write_only;
  return html`
    <div class=${`field ${error ? "wrong" : ""} ${resource && field.name === resource.title ? "whole" : ""}`}>
      <label for=${id}>${field.label}${isOptional && html` <span class="optional">optional</span>`}</label>
      <${Own} attributes=${attributes} field=${field} value=${value} onChange=${onChange} isNew=${isNew}
        isFilter=${isFilter} />
      <div class="hint" id=${`${id}-hint`}>
        ${error && html`<p class="error"><${Icon} name="close" />${error}</p>`}
        ${doc && html`<p>${doc}</p>`}
        ${field.kind === "datetime"
          && html`<p>${zone.replaceAll("_", " ")}${value && !isFilter ? ` · ${utc(value)}` : ""}</p>`}
      </div>
    </div>`;
}

/** Whether a description says more than the label: `The name.` does not. */
const saysMore = ({ doc, label }) => doc && doc.replace(/^(The|A|An) |[.]$/g, "").toLowerCase() !== label.toLowerCase();

function kindOf(field) {
  if (field.refers && field.refers.by.length === 0) return ReferenceInput;
  if (field.kind.endsWith("[]")) return ListInput;
  return {
    bool: BoolInput, enum: EnumInput, json: JsonInput, bytes: BytesInput, date: DateInput, time: TimeInput,
    datetime: InstantInput,
    local_datetime: LocalInput, int: IntegerInput, float: NumberInput, decimal: DecimalInput,
  }[field.kind] ?? TextInput;
}

function TextInput({ attributes, field, value, onChange, isNew, isFilter }) {
  const { rules = {} } = field;
  if (rules.one_of && !isFilter) {
    return html`<select ...${attributes} value=${value ?? ""}
      onChange=${(event) => onChange(event.target.value || null)}>
      <option value="">–</option>
      ${rules.one_of.map((item) => html`<option key=${item} value=${item}>${item}</option>`)}</select>`;
  }
  const set = (event) =>
    onChange(event.target.value === "" && (value === null || field.nullable) ? null : event.target.value);
  const common = { ...attributes, value: value ?? "", onInput: set, dir: "auto", spellcheck: "false" };
  if (field.write_only) {
    return html`<input ...${common} type="password" autocomplete="new-password"
      placeholder=${isNew ? "" : "unchanged"} />`;
  }
  const isLong = !(rules.max_length <= 255) && !rules.email && !rules.url && !rules.pattern && !isFilter
    && field.kind === "text";
  if (isLong || /\n/.test(value ?? "")) return html`
    <textarea ...${common} rows=${rules.max_length > 255 || /\n/.test(value ?? "") ? 3 : 1}></textarea>`;
  const type = rules.email ? "email" : rules.url ? "url" : "text";
  return html`<input ...${common} type=${isFilter ? "text" : type} class=${field.kind === "uuid" ? "code" : ""} />`;
}

function BoolInput({ attributes, field, value, onChange, isFilter }) {
  if (field.nullable || isFilter) {
    const set = (event) => onChange(event.target.value === "" ? null : event.target.value === "true");
    return html`<select ...${attributes} value=${value === null || value === undefined ? "" : String(value)}
      onChange=${set}>
      <option value="">–</option><option value="true">Yes</option><option value="false">No</option></select>`;
  }
  return html`<input ...${attributes} type="checkbox" class="switch" role="switch" checked=${value === true}
    onChange=${(event) => onChange(event.target.checked)} />`;
}

function EnumInput({ attributes, field, value, onChange, isFilter }) {
  const hasNone = field.nullable || value === null || value === undefined || value === "" || isFilter;
  return html`
    <select ...${attributes} value=${value ?? ""} onChange=${(event) => onChange(event.target.value || null)}>
      ${hasNone && html`<option value="">–</option>`}
      ${field.values.map((item) => html`<option key=${item} value=${item}>${labelOf(field, item)}</option>`)}
    </select>`;
}

/** A number as text: what is none goes to the service as it is, for the service's own error. */
function NumberText({ attributes, value, onChange, read, mode }) {
  const [text, setText] = useState(value === null || value === undefined ? "" : String(value));
  useEffect(() => {
    if (String(read(text) ?? "") !== String(value ?? "")) setText(value === null || value === undefined ? ""
      : String(value));
  }, [value]);
  const set = (event) => {
    const typed = event.target.value.trim();
    setText(event.target.value);
    onChange(typed === "" ? null : read(typed));
  };
  return html`<input ...${attributes} class="number" inputmode=${mode} autocomplete="off" value=${text}
    onInput=${set} />`;
}

const IntegerInput = (props) =>
  html`<${NumberText} ...${props} read=${integer} mode=${props.field.rules?.min >= 0 ? "numeric" : "text"} />`;
const readFloat = (text) => (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : text);
const NumberInput = (props) => html`<${NumberText} ...${props} read=${readFloat} mode="decimal" />`;
/** Decimals are texts, so that no digit is lost. */
const DecimalInput = (props) => html`<${NumberText} ...${props} read=${(text) => text} mode="decimal" />`;

function ReferenceInput({ attributes, field, value, onChange }) {
  const { id, name } = attributes;
  const typed = (key) => (field.kind === "int" ? integer(String(key)) : String(key));
  const set = (key) => onChange(key === null ? null : typed(key));
  return html`<${Picker} id=${id} name=${name} resource=${field.refers.resource} value=${value} onChange=${set}
    required=${field.required}
    describedBy=${attributes["aria-describedby"]} invalid=${attributes["aria-invalid"]}
    autofocus=${attributes.autofocus} />`;
}

const DateInput = ({ attributes, value, onChange }) => html`
  <input ...${attributes} type="date" max="9999-12-31" value=${value ?? ""}
    onChange=${(event) => onChange(event.target.value || null)} />`;

const TimeInput = ({ attributes, value, onChange }) => html`
  <input ...${attributes} type="time" step="1" value=${value?.slice(0, 8) ?? ""}
    onChange=${(event) => onChange(event.target.value || null)} />`;

const LocalInput = ({ attributes, value, onChange }) => html`
  <input ...${attributes} type="datetime-local" step="1" value=${value?.slice(0, 19) ?? ""}
    onChange=${(event) => onChange(event.target.value || null)} />`;

const utc = (value) => `${String(value).slice(0, 16).replace("T", " ")} UTC`;

/** An instant as the local time of the reader. */
function localOf(value) {
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) return "";
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}

function InstantInput({ attributes, value, onChange }) {
  const set = (event) => {
    const time = new Date(event.target.value);
    onChange(Number.isNaN(time.getTime()) ? null : time.toISOString().replace("Z", "000Z"));
  };
  return html`<input ...${attributes} type="datetime-local" step="1" value=${value ? localOf(value) : ""}
    onChange=${set} />`;
}

function JsonInput({ attributes, value, onChange }) {
  const [text, setText] = useState(() => (value === null || value === undefined ? "" : write(value, "  ")));
  const [isWrong, setWrong] = useState(false);
  const set = (event) => {
    setText(event.target.value);
    if (event.target.value.trim() === "") return onChange(null);
    try {
      onChange(parse(event.target.value));
      setWrong(false);
    } catch {
      setWrong(true);
      onChange(new Raw(event.target.value));
    }
    return undefined;
  };
  return html`
    <textarea ...${attributes} class="code" rows="4" spellcheck="false" value=${text} onInput=${set}></textarea>
    ${isWrong && html`<p class="hint">This is not JSON yet.</p>`}`;
}

/** Values of a list, one a line. */
function ListInput({ attributes, field, value, onChange }) {
  const read = { int: integer, float: readFloat }[field.kind.slice(0, -2)] ?? ((text) => text);
  const [text, setText] = useState(() => (value ?? []).map(String).join("\n"));
  const set = (event) => {
    setText(event.target.value);
    const lines = event.target.value.split("\n").map((line) => line.trim()).filter((line) => line !== "");
    onChange(lines.length === 0 && field.nullable ? null
      : lines.map(field.kind === "bool[]" ? (line) => line === "true" : read));
  };
  return html`<textarea ...${attributes} rows="3" value=${text} onInput=${set} placeholder="One a line"></textarea>`;
}

const RASTER = [["iVBORw0KGgo", "image/png"], ["/9j/", "image/jpeg"], ["R0lGOD", "image/gif"], ["UklGR", "image/webp"]];

/** The bytes of base64 as a URL of this page. */
function blobUrl(base64, type) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return URL.createObjectURL(new Blob([bytes], { type }));
}

/** A picture of the kinds that run nothing. */
function Picture({ base64 }) {
  const type = RASTER.find(([head]) => base64.startsWith(head))?.[1];
  const [url, setUrl] = useState(null);
  useEffect(() => {
    if (!type) return undefined;
    const url = blobUrl(base64, type);
    setUrl(url);
    return () => URL.revokeObjectURL(url);
  }, [base64]);
  return url && html`<img class="picture" src=${url} alt="" />`;
}

function BytesInput({ attributes, value, onChange }) {
  const read = (event) => {
    const file = event.target.files[0];
    if (!file) return;
    const reader = new FileReader();
    reader.onload = () => onChange(String(reader.result).split(",", 2)[1] ?? "");
    reader.readAsDataURL(file);
  };
  const save = () => {
    const url = blobUrl(value, "application/octet-stream");
    follow(url, attributes.name);
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };
  return html`
    ${value && html`<${Picture} base64=${value} />`}
    <div class="row"><input ...${attributes} type="file" onChange=${read} />
      ${value && html`<${Button} icon="download" label="Download" onClick=${save} />`}</div>`;
}
