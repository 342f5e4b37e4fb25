// Modules of the program: pages, cells, inputs and actions that it adds.

import * as preact from "./vendor/preact.js";
import { call, get, own, root, setErrorTexts } from "./api.js";
import { Raw, parse, write } from "./json.js";
import { service } from "./schema.js";
import { noteError } from "./ui/parts.js";

const pages = new Map();
const cells = new Map();
const inputs = new Map();
const actions = new Map();

/** What the default export of a module gets. */
const parts = {
  ...preact,
  api: { call, get, Raw, parse, write },
  /** Adds a page below the resources: a name for its URL, a label, and a component. */
  page: (name, label, component) => pages.set(name, { name, label, component }),
  /** Shows a field by a component of `{value, record, field}`. */
  cell: (resource, field, component) => cells.set(`${resource} ${field}`, component),
  /** Edits a field by a component of `{value, onChange, field}`. */
  input: (resource, field, component) => inputs.set(`${resource} ${field}`, component),
  /** Sets the texts of mistakes: a function of `{code, params, detail}` that returns one, or nothing. */
  errorTexts: setErrorTexts,
  /** Adds a button to the records of a resource, which calls a function of `{key, record}`. */
  action: (resource, label, run) => actions.set(`${resource} ${label}`, { resource, label, run }),
};

/** Loads the modules. One that fails is named, and the page goes on without it. */
export async function loadModules() {
  for (const path of service.modules) {
    try {
      const module = await import(`${root}${own}/${path}`);
      await module.default({ ...parts, service });
    } catch (error) {
      noteError(new Error(`The module ${path} has failed: ${error.message}`));
    }
  }
}

export const ownPages = () => [...pages.values()];
export const cellOf = (resource, field) => cells.get(`${resource.name} ${field.name}`);
export const inputOf = (resource, field) => inputs.get(`${resource?.name} ${field.name}`);
export const actionsOf = (resource) => [...actions.values()].filter((action) => action.resource === resource.name);
