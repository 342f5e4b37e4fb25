/** A string or a number in JSON text. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const INTEGER = /^-?\d+$/;
/** Marks a text that {@link stringify} writes as a number. The service refuses NUL in texts. */
const MARK = "\u0000integer:";
const MARKED = /"\\u0000integer:(-?\d+)"/g;

/**
 * Parses JSON, and keeps integers that a `number` would round as text: `{"id": 9007199254740993}` becomes
 * `{ id: "9007199254740993" }`.
 */
export function parse(text: string): unknown {
  const exact = (token: string) =>
    INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
  return JSON.parse(text.replace(TOKEN, exact));
}

/** Writes JSON, with what {@link integer} marked as numbers. */
export function stringify(value: unknown): string {
  return JSON.stringify(value).replace(MARKED, "$1");
}

/** Has {@link stringify} write a text of digits as a number. Other values are returned as they are. */
export function integer(value: unknown): unknown {
  return typeof value === "string" && INTEGER.test(value) ? MARK + value : value;
}

/** Whether two values have the same JSON. */
export function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
