import { list } from "@crud-runtime/client/wire";

/** How many values `__in` takes. */
export const MAX_LIST = 100;

/**
 * The query parameters of react-admin's filter.
 *
 * | Filter | Parameter |
 * |---|---|
 * | `{ price__gte: 5 }` | `price__gte=5` |
 * | `{ category: { name: "Lamps" } }`, as forms write `category.name` | `category.name=Lamps` |
 * | `{ status: ["paid", "sent"] }` | `status__in=paid,sent` |
 * | `{ description: null }` | `description__isnull=true` |
 * | `{ where: { or: […] } }` | `where=` and the JSON |
 * | an empty text or list, `undefined` | none: the input is empty |
 */
export function filterParameters(filter: Record<string, unknown>, path = ""): [string, string][] {
  return Object.entries(filter).flatMap(([name, value]): [string, string][] => {
    const key = path + name;
    if (value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) return [];
    if (value === null) return [[`${key}__isnull`, "true"]];
    if (key === "where") return [[key, typeof value === "string" ? value : JSON.stringify(value)]];
    if (Array.isArray(value)) return [[/__n?in$/.test(key) ? key : `${key}__in`, list(value)]];
    if (value instanceof Date) return [[key, value.toISOString()]];
    if (typeof value === "object") return filterParameters(value as Record<string, unknown>, `${key}.`);
    return [[key, String(value)]];
  });
}
