// The service as the caller may see it: resources, fields, and what may be done with them.

import { get, own } from "./api.js";

/**
 * A field as the caller may see it.
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label
 * @property {string} kind
 * @property {string} [doc]
 * @property {boolean} [nullable]
 * @property {boolean} [required]
 * @property {boolean} [read_only]
 * @property {boolean} [computed]
 * @property {boolean} [write_only]
 * @property {boolean} [assigned]
 * @property {boolean} [immutable]
 * @property {string} [role]
 * @property {string[]} [values]
 * @property {string[]} [labels]
 * @property {string[]} [ops]
 * @property {{ resource: string, expand: string | null, by: string[] }} [refers]
 * @property {Record<string, any>} [rules]
 * @property {{ max?: number, types?: string[], put?: boolean, delete?: boolean, link?: boolean }} [file]
 * @property {any} [default]
 * @property {{ name: string, label: string, from: any[], to: any, can: boolean }[]} [transitions]
 */

/**
 * A resource as the caller may see it; `may`, `byName` and `one` are added here.
 *
 * @typedef {object} Resource
 * @property {string} name
 * @property {string} label
 * @property {string} path
 * @property {string} [place]
 * @property {string} [doc]
 * @property {string | null} [group]
 * @property {boolean} [hidden]
 * @property {string[]} [list]
 * @property {string[]} key
 * @property {string | null} title
 * @property {{ default: number, max: number, cursor?: boolean, counted?: boolean } | null} page
 * @property {boolean} search
 * @property {string | null} [deleted_at]
 * @property {boolean} [audit]
 * @property {boolean} [export]
 * @property {boolean} [import]
 * @property {number | null} [batch]
 * @property {{ group_by: string[], over: string[] } | null} [aggregate]
 * @property {boolean} [idempotent]
 * @property {string[]} [can]
 * @property {string[]} [sort]
 * @property {string} [default_sort]
 * @property {boolean} [live]
 * @property {Field[]} fields
 * @property {Field[]} filters
 * @property {{ user: string, role: string | null }} [members]
 * @property {{ name: string, label: string }[]} [buttons]
 * @property {any[]} [children]
 * @property {any[]} [links]
 * @property {Set<string>} [may]
 * @property {Map<string, Field>} [byName]
 * @property {string} [one]
 */

/**
 * A service as the caller may see it.
 *
 * @typedef {object} SeenService
 * @property {string} title
 * @property {string} description
 * @property {string} version
 * @property {{ subject: string, roles: string[], permissions: string[], tenant: any } | null} user
 * @property {boolean} secured
 * @property {Resource[]} resources
 * @property {Record<string, string | null>} paths
 * @property {{ roles: string[], permissions: string[] } | null} names
 * @property {{ label: string, url: string }[]} links
 * @property {string[]} modules
 */

/**
 * The answer of `GET /admin/schema`.
 *
 * @type {SeenService}
 */
export let service = null;

export async function loadSchema() {
  service = (await get(`${own}/schema`)).value;
  for (const resource of service.resources) prepare(resource);
  users = service.paths.users ? usersAt(service.paths.users) : null;
  document.title = service.title;
  return service;
}

/** The first paragraph of a doc comment, which is in Markdown, as text. */
function plain(doc = "") {
  const [first] = doc.split(/\n\s*\n/, 1);
  return first.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "").replaceAll("\n", " ");
}

function prepare(resource) {
  resource.doc = plain(resource.doc);
  for (const field of [...resource.fields, ...resource.filters]) field.doc = plain(field.doc);
  resource.may = new Set(resource.can);
  resource.byName = new Map([...resource.fields, ...resource.filters].map((field) => [field.name, field]));
  resource.one = words(resource.name);
}

/** The resources that a menu has; the records of others are reached from theirs. */
export const menuResources = () => service.resources.filter(({ hidden }) => !hidden);

/**
 * The service's users, which fields refer to as to a resource; their place in the page is that of users.
 *
 * @type {Resource | null}
 */
let users = null;

/** @returns {Resource} */
const usersAt = (path) => ({
  name: "AuthUser", one: "User", label: "Users", path, place: "/~users", key: ["id"], title: "username", search: true,
  page: { default: 20, max: 100 }, may: new Set(["list", "get"]), fields: [], filters: [],
  byName: new Map([["id", { name: "id", label: "Id", kind: "int", ops: ["in"] }]]),
});

export const resourceNamed = (name) =>
  service.resources.find((resource) => resource.name === name) ?? (users?.name === name ? users : undefined);

/** The resource of a place, with the rest of the place below it. */
export function resourceAt(path) {
  const fits = service.resources.filter(({ path: prefix }) => path === prefix || path.startsWith(`${prefix}/`));
  const resource = fits.sort((a, b) => b.path.length - a.path.length)[0];
  return resource && { resource, rest: decodeURIComponent(path.slice(resource.path.length + 1)) };
}

/** The key of a record, as paths have it before their encoding. */
export function keyOf(resource, record) {
  const parts = resource.key.map((name) => String(record[name]));
  return parts.length === 1 ? parts[0] : parts.map(encodeURIComponent).join(",");
}

/** The path of a record in the API, which is its place in the page too, except for users. */
export const recordPath = (resource, key) => `${resource.place ?? resource.path}/${encodeURIComponent(key)}`;

/**
 * What people call a record.
 *
 * @param {Resource} resource
 */
export function titleOf(resource, record) {
  const title = resource.title && record[resource.title];
  return title ? String(title) : `${resource.one} ${keyOf(resource, record)}`;
}

/**
 * The fields that answers have.
 *
 * @param {Resource} resource
 */
export const shownFields = (resource) => resource.fields.filter((field) => !field.write_only);

/**
 * The fields that a body may set: on creates, also those that cannot be changed later. Transitions change states.
 *
 * @param {Resource} resource
 * @param {boolean} isNew
 */
export const writableFields = (resource, isNew) => {
  const isFixed = (field) => field.immutable || resource.key.includes(field.name);
  return resource.fields.filter((field) => !field.read_only && !field.transitions?.length
    && (isNew || !isFixed(field)));
};

/** The references whose records a list can have with it. */
export const expandable = (resource) =>
  resource.fields.map((field) => field.refers?.expand).filter((name) => name);

/** `OrderItem` is `Order item`. */
export function words(name) {
  const spaced = name.replace(/[_-]+/g, " ")
    .replace(/([a-z0-9])([A-Z])/g, (_, one, two) => `${one} ${two.toLowerCase()}`);
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** The text of an enum's value for people. */
export function labelOf(field, value) {
  const label = field.labels?.[field.values?.indexOf(value) ?? -1];
  return label && label !== value ? label : words(String(value));
}
