// JSON whose integers beyond a double's range stay exact.

/** A piece of JSON that is written as it is: an integer that a number would round, or a text that a person typed. */
export class Raw {
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const INTEGER = /^-?\d+$/;
/** Marks a text that stands for an integer. No value of the service has a NUL. */
const MARK = "\u0000";

/** Parses JSON, with a `Raw` for each integer that a number would round. */
export function parse(text) {
  let hasLarge = false;
  const marked = text.replace(TOKEN, (token) => {
    if (!INTEGER.test(token) || Number.isSafeInteger(Number(token))) return token;
    hasLarge = true;
    return `"\\u0000${token}"`;
  });
  if (!hasLarge) return JSON.parse(text);
  const revive = (_, value) => (typeof value === "string" && value[0] === MARK ? new Raw(value.slice(1)) : value);
  return JSON.parse(marked, revive);
}

/** Writes JSON, with the text of each `Raw`. `space` indents it. */
export function write(value, space = "", at = "") {
  if (value instanceof Raw) return value.text;
  if (value === null || typeof value !== "object") return JSON.stringify(value ?? null);
  const inner = at + space;
  const list = Array.isArray(value)
    ? value.map((item) => write(item, space, inner))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([key, item]) => `${JSON.stringify(key)}:${space && " "}${write(item, space, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (!space || list.length === 0) return open + list.join(",") + close;
  return `${open}\n${inner}${list.join(`,\n${inner}`)}\n${at}${close}`;
}

/** Whether two values have the same JSON. */
export const isSame = (one, other) => one === other || write(one) === write(other);

/** The value of an integer that a person has typed: a number where that is exact. What is none stays text. */
export function integer(text) {
  if (!INTEGER.test(text)) return text;
  return Number.isSafeInteger(Number(text)) ? Number(text) : new Raw(String(BigInt(text)));
}
