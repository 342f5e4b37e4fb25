// Values as people read them.

import { html } from "./vendor/preact.js";
import { FileName } from "./file/value.js";
import { bytesText } from "./file/words.js";
import { Raw, write } from "./json.js";
import { labelOf } from "./schema.js";

const locale = navigator.languages;
const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const dateTimeLong = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "long" });
const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 20 });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "long" });

export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export const isNumber = ({ kind }) => ["int", "float", "decimal"].includes(kind);
/** Whether values are aligned at their ends: keys and references are names, and not amounts. */
export const isAmount = (field) => isNumber(field) && !field.refers && field.role !== "id";

export const count = (value) => number.format(value);

/** A time in the reader's zone; UTC is in its title. */
export function Time({ value, long = false }) {
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) return String(value);
  const text = (long ? dateTimeLong : dateTime).format(time);
  return html`<time datetime=${value} title=${`${value.replace(/(\.\d+)?Z$/, "").replace("T", " ")} UTC`}>
    ${text}</time>`;
}

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [
  ["year", 31_557_600], ["month", 2_629_800], ["week", 604_800], ["day", 86_400], ["hour", 3_600], ["minute", 60],
  ["second", 1],
];

/** A time as its distance from now. */
export function Ago({ value }) {
  const seconds = (new Date(value).getTime() - Date.now()) / 1000;
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? UNITS.at(-1);
  const title = `${dateTimeLong.format(new Date(value))} · ${value}`;
  return html`<time datetime=${value} title=${title}>${relative.format(Math.round(seconds / size), unit)}</time>`;
}

export const nothing = html`<span class="none" aria-label="none">–</span>`;

/** A number of text as people write it, with all its digits. */
function amount(field, value) {
  if (value instanceof Raw) return number.format(BigInt(value.text));
  if (field.kind === "decimal") {
    const [whole, fraction] = String(value).split(".");
    const sign = whole.startsWith("-") && Number(whole) === 0 ? "-" : "";
    return sign + number.format(BigInt(whole)) + (fraction ? decimalPoint + fraction : "");
  }
  return number.format(value);
}

const decimalPoint = number.formatToParts(1.5).find(({ type }) => type === "decimal")?.value ?? ".";

/** The size of base64 in words. */
const sizeOfBase64 = (base64) =>
  bytesText(Math.floor((base64.length * 3) / 4) - (base64.match(/=+$/)?.[0].length ?? 0));

/** The most digits that a column's numbers have after the point, so that they are aligned by it. */
export function digitsOf(field, records) {
  if (field.kind !== "float") return 0;
  const digits = records.map((record) => String(record[field.name] ?? "").split(".")[1]?.length ?? 0);
  return Math.min(Math.max(0, ...digits), 4);
}

const padded = [0, 1, 2, 3, 4].map((least) =>
  new Intl.NumberFormat(locale, { minimumFractionDigits: least, maximumFractionDigits: 20 }));

/** A value as a text. */
export function text(field, value, digits = 0) {
  if (value === null || value === undefined) return "–";
  switch (field?.kind) {
    case "bool": return value ? "Yes" : "No";
    case "enum": return labelOf(field, value);
    case "datetime": return dateTime.format(new Date(value));
    case "date": return date.format(new Date(`${value}T00:00:00Z`));
    case "local_datetime": return String(value).replace("T", " ").replace(/\.0+$/, "");
    case "bytes": return sizeOfBase64(String(value));
    case "file": return String(value.name);
    case "int": return field.role === "id" || field.refers ? String(value) : amount(field, value);
    case "float": return typeof value === "number" ? padded[digits].format(value) : amount(field, value);
    case "decimal": return amount(field, value);
    default: return typeof value === "object" && !(value instanceof Raw) ? write(value) : String(value);
  }
}

/** A value in a cell or a list of facts. */
export function Value({ field, value, digits }) {
  if (value === null || value === undefined) return nothing;
  if (field.kind === "datetime") return html`<${Time} value=${value} />`;
  if (field.kind === "bool") return html`<span class=${value ? "yes" : "no"}>${value ? "Yes" : "No"}</span>`;
  if (field.kind === "enum") return html`<span class="badge" data-tone=${tone(value)}>${labelOf(field, value)}</span>`;
  if (field.kind === "file") return html`<${FileName} value=${value} />`;
  if (field.kind === "text" && value === "") return html`<span class="none">empty</span>`;
  if (field.kind === "text[]") return value.map((item) => html`<span class="badge">${item}</span> `);
  if (field.rules?.email && !/[\s?&]/.test(value)) return html`<a href=${`mailto:${value}`}>${value}</a>`;
  if (field.rules?.url && /^https?:\/\//i.test(value)) {
    return html`<a href=${value} target="_blank" rel="noopener noreferrer">${value}</a>`;
  }
  if (["json", "uuid"].includes(field.kind)) return html`<code>${text(field, value)}</code>`;
  return html`<bdi>${text(field, value, digits)}</bdi>`;
}

const TONES = {
  good: new RegExp("^(active|approved|available|closed|complete|completed|delivered|done|enabled|live|ok|paid|" +
    "published|resolved|success)$", "i"),
  bad: /^(blocked|cancelled|canceled|dead|error|failed|overdue|refused|rejected|suspended)$/i,
  busy: /^(in_?progress|processing|review|running|sent|shipped|started)$/i,
};

/** The tone of a state by its usual name; its text says it too. */
export const tone = (value) => Object.keys(TONES).find((name) => TONES[name].test(String(value))) ?? "plain";
