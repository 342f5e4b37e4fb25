// The filters of a list: each a parameter of its URL.

import { html, useState } from "../vendor/preact.js";
import { Input } from "../record/inputs.js";
import { Button, Dialog, Menu } from "../ui/parts.js";
import { Icon } from "../ui/icon.js";
import { FilterValue, filterFields, filterOf, operatorText, operatorsOf } from "./operators.js";

/** The filters that are set, and the menu that sets more. */
export function Filters({ resource, query, change }) {
  const [edited, setEdited] = useState(null);
  const [isCondition, setCondition] = useState(false);
  const set = query.map(([name, value], index) => ({ name, value, index, ...filterOf(resource, name) }))
    .filter(({ field }) => field);
  const where = query.find(([name]) => name === "where");
  const without = (index) => change(query.filter((_, other) => other !== index && query[other][0] !== "skip"));
  const fields = filterFields(resource);
  return html`
    ${set.map((filter) => html`
      <span class="chip" key=${filter.index}>
        <button type="button" class="chip-text" onClick=${() => setEdited(filter)}>
          ${filter.field.label} <span class="op">${operatorText(filter.field, filter.op)}</span> <b>
            <bdi><${FilterValue} ...${filter} /></bdi></b>
        </button>
        <button type="button" class="chip-close" aria-label=${`Remove the filter on ${filter.field.label}`}
          onClick=${() => without(filter.index)}><${Icon} name="close" /></button>
      </span>`)}
    ${where && html`
      <span class="chip">
        <button type="button" class="chip-text" onClick=${() => setCondition(true)}>
          <span class="op">where</span> <code>${where[1]}</code></button>
        <button type="button" class="chip-close" aria-label="Remove the condition"
          onClick=${() => change(query.filter(([name]) => name !== "where" && name !== "skip"))}>
          <${Icon} name="close" /></button>
      </span>`}
    ${fields.length > 0 && html`
      <${Menu} icon="filter" text="Filter">${(close) => html`
        <ul class="items">
          ${fields.map((field) => html`
            <li key=${field.name}>
              <button type="button"
                onClick=${() => { close(); setEdited({ field, op: operatorsOf(field)[0], value: "", index: -1 }); }}>
              ${field.label}</button></li>`)}
          <li class="apart">
            <button type="button" onClick=${() => { close(); setCondition(true); }}>Condition in JSON …</button></li>
        </ul>`}
      <//>`}
    ${edited && html`
      <${FilterDialog} filter=${edited} close=${() => setEdited(null)} apply=${(name, value) => {
        const rest = query.filter((_, index) => index !== edited.index && query[index][0] !== "skip");
        setEdited(null);
        change([...rest, [name, value]]);
      }} />`}
    ${isCondition && html`
      <${ConditionDialog} value=${where?.[1] ?? ""} close=${() => setCondition(false)} apply=${(value) => {
        setCondition(false);
        change([...query.filter(([name]) => name !== "where" && name !== "skip"),
          ...(value ? [["where", value]] : [])]);
      }} />`}`;
}

/** Whether an operator takes several values. */
const isList = (op) => op === "in" || op === "nin";

/** The form of an operator's value, where it is not the field's. */
const formOf = (op) => (op === "isnull" || op === "on" ? op : "");

function FilterDialog({ filter, close, apply }) {
  const { field } = filter;
  const [op, setOp] = useState(filter.op);
  const [value, setValue] = useState(filter.value);
  const typed = op === "isnull" ? { name: "value", label: field.label, kind: "bool" }
    : isList(op) || ["like", "ilike"].includes(op) ? { ...field, kind: "text", refers: null, rules: {}, values: null }
    : op === "on" ? { ...field, kind: "date" } : field;
  const shown = typed.kind === "bool" && typeof value === "string" ? value === "true" : value;
  const submit = (event) => {
    event.preventDefault();
    const text = typed.kind === "bool" ? String(value === true || value === "true") : String(value ?? "").trim();
    if (text !== "") apply(op === "eq" ? field.name : `${field.name}__${op}`, text);
  };
  const footer = html`<${Button} onClick=${close}>Cancel<//>
    <button class="button primary" form="filter"><span>Apply</span></button>`;
  return html`
    <${Dialog} title=${`Filter by ${field.label.toLowerCase()}`} kind="small" onClose=${close} footer=${footer}>
      <form id="filter" class="stack" onSubmit=${submit}>
        <label class="field"><span>Records whose ${field.label.toLowerCase()}</span>
          <select value=${op}
            onChange=${(event) =>
              { setOp(event.target.value); if (formOf(event.target.value) !== formOf(op)) setValue(
                event.target.value === "isnull" ? "true" : ""); }}>
            ${operatorsOf(field).map((op) => html`<option key=${op} value=${op}>${operatorText(field, op)}</option>`)}
          </select>
        </label>
        ${op === "isnull"
          ? html`<label class="field"><span>Answer</span>
            <select value=${String(value || "true")} onChange=${(event) => setValue(event.target.value)}>
              <option value="true">Yes</option><option value="false">No</option></select></label>`
          : html`<${Input} key=${op}
            field=${{ ...typed, label: "Value", doc: isList(op) ? "Several values, with commas between them." : "",
              nullable: false, required: true, write_only: false }}
              value=${shown} onChange=${setValue} isFilter autofocus />`}
      </form>
    <//>`;
}

function ConditionDialog({ value, close, apply }) {
  const [text, setText] = useState(value);
  const isJson = text.trim() === "" || isParsed(text);
  const submit = (event) => {
    event.preventDefault();
    if (isJson) apply(text.trim());
  };
  const footer = html`<${Button} onClick=${close}>Cancel<//>
    <button class="button primary" form="condition" disabled=${!isJson}><span>Apply</span></button>`;
  return html`
    <${Dialog} title="Condition in JSON" onClose=${close} footer=${footer}>
      <form id="condition" class="stack" onSubmit=${submit}>
        <label class="field"><span>Condition</span>
          <textarea class="code" rows="6" autofocus spellcheck="false" value=${text}
            onInput=${(event) => setText(event.target.value)}
            aria-invalid=${!isJson} placeholder='{"or": [{"price__lt": 10}, {"stock": 0}]}'></textarea>
          <small>Names are those of filters,
            with <code>and</code>, <code>or</code> and <code>not</code>. ${isJson ? "" : "It is not JSON yet."}</small>
        </label>
      </form>
    <//>`;
}

function isParsed(text) {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
