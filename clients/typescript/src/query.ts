/** Query parameters by name. A list is sent as `a,b`; `undefined` is not sent. */
export type Query = Record<string, unknown>;

/** The query string of parameters with its `?`, or nothing. */
export function queryString(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const pairs = new URLSearchParams(given.map(([name, value]): [string, string] => [name, text(value)]));
  return given.length > 0 ? `?${pairs}` : "";
}

/** Comma-separated values; one with a comma or a quote is quoted, and its quotes are doubled. */
export function list(values: readonly unknown[]): string {
  const quoted = (value: string) => (/[",]/.test(value) ? `"${value.replace(/"/g, '""')}"` : value);
  return values.map((value) => quoted(text(value))).join(",");
}

function text(value: unknown): string {
  if (Array.isArray(value)) return list(value);
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
