import type { Fetch } from "@crud-runtime/client";
import { isSame, list } from "@crud-runtime/client/wire";
import type { DataProvider, GetListParams, GetListResult, Identifier, QueryFunctionContext, RaRecord } from "ra-core";

import { chunks, inBatches, oneByOne } from "./batches.js";
import { Endpoint, at } from "./endpoint.js";
import type { Item, Query, ResourceSettings } from "./endpoint.js";
import { readPage } from "./pages.js";
import { MAX_LIST, filterParameters } from "./parameters.js";
import { isAbsent, outdated, refusesParameter } from "./problem.js";
import { isShownTime } from "./times.js";
import { Versions, isVersionOf } from "./versions.js";

export interface DataProviderOptions {
  /** Sends the requests: the `fetch` of a session, or another one. */
  fetch?: Fetch;
  /** Settings by resource. */
  resources?: Record<string, ResourceSettings>;
}

/** A data provider with methods for soft delete, transitions and the audit log. */
export interface CrudDataProvider extends DataProvider {
  /** Makes a deleted record active again. */
  restore(resource: string, params: { id: Identifier }): Promise<{ data: RaRecord }>;
  /** Moves a record to another state by the transition of this name. `data` has the fields that it sets besides. */
  transition(resource: string, params: { id: Identifier; name: string; data?: Item }): Promise<{ data: RaRecord }>;
  /** The record's entries in the audit log, oldest first. */
  history(resource: string, params: { id: Identifier; pagination?: GetListParams["pagination"] }): Promise<GetListResult>;
}

/** The data provider of the service at `url`, such as `https://shop.example` or `/api`. */
export function crudDataProvider(url: string, options: DataProviderOptions = {}): CrudDataProvider {
  const send: Fetch = options.fetch ?? ((input, init) => fetch(input, init));
  const of = (resource: string, other: ResourceSettings = {}) =>
    new Endpoint(url, resource, { ...options.resources?.[resource], ...other }, send);
  const versions = new Versions();
  /** Fields by which a list cannot be sorted, such as `orders price`: found when the service refused one. */
  const unsorted = new Set<string>();
  /** Resources that the service does not have, such as `owners`, which guessers make of a field `owner_id`. */
  const absent = new Set<string>();

  /** The answer of one record, whose version is remembered. */
  async function one(resource: string, answer: Promise<{ value: Item; etag: string | null }>): Promise<{ data: any }> {
    const { value, etag } = await answer;
    const data = of(resource).record(value);
    versions.remember(resource, data.id, { record: data, etag });
    return { data };
  }

  /** The entity tag of the version that a record shows. Records of lists have none, and are read again. */
  async function etagOf(resource: string, id: Identifier, shown: Item): Promise<string | null> {
    const known = versions.find(resource, id, shown);
    if (known) return known.etag;
    const endpoint = of(resource);
    const { value, etag } = await endpoint.get<Item>(at(id));
    if (!isVersionOf({ record: endpoint.record(value), etag }, shown)) throw outdated();
    return etag;
  }

  async function getList(resource: string, params: GetListParams & QueryFunctionContext): Promise<GetListResult> {
    const endpoint = of(resource);
    const { field, order } = params.sort ?? { field: "id", order: "ASC" };
    const fields = field === "id" ? endpoint.keys : [field];
    const sort = fields.map((name) => `${order === "DESC" ? "-" : ""}${name}`).join(",");
    const query = filterParameters({ ...params.filter, ...params.meta?.query });
    if (!endpoint.hasSort || unsorted.has(`${resource} ${field}`)) return readPage(endpoint, "", query, params);
    try {
      return await readPage(endpoint, "", [...query, ["sort", sort]], params);
    } catch (error) {
      // react-admin stores the order of a list: an error here would come again with every reload of the page.
      if (!refusesParameter(error, "sort")) throw error;
      unsorted.add(`${resource} ${field}`);
      console.warn(`${resource} cannot be sorted by ${field}, and is listed in its default order: name the field in the ` +
        "struct's sort(…), or give the column disableSort.");
      return readPage(endpoint, "", query, params);
    }
  }

  return {
    supportAbortSignal: true,

    getList,

    getOne: (resource, { id, meta, signal }) =>
      one(resource, of(resource).get(at(id), filterParameters(meta?.query ?? {}), signal)),

    async getMany(resource, { ids, meta, signal }) {
      const onlyIds = () => ({ data: ids.map((id) => ({ id }) as any) });
      if (absent.has(resource)) return onlyIds();
      const endpoint = of(resource);
      const extra = filterParameters(meta?.query ?? {});
      const read = async (some: Identifier[]) => {
        const query: Query = [[`${endpoint.key}__in`, list(some)], ["limit", String(some.length)], ...extra];
        return (await endpoint.get<{ data: Item[] }>("", query, signal)).value.data;
      };
      try {
        const items = await Promise.all(chunks([...new Set(ids)], Math.min(MAX_LIST, endpoint.maxLimit)).map(read));
        return { data: items.flat().map((item) => endpoint.record(item) as any) };
      } catch (error) {
        if (!isAbsent(error)) throw error;
        absent.add(resource);
        console.warn(`The service has no list of ${resource}, and the page shows the ids: name the resource that the field ` +
          "refers to in reference={…}, or show the field as a number or a text.");
        return onlyIds();
      }
    },

    getManyReference: (resource, { target, id, ...params }) =>
      getList(resource, { ...params, filter: { ...params.filter, [target]: id } }),

    create(resource, { data }) {
      // Inputs that were left empty are null. A field that is absent gets its default.
      const filled = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
      const endpoint = of(resource);
      return one(resource, endpoint.send("POST", "", endpoint.fields(filled)));
    },

    async update(resource, { id, data, previousData }) {
      const endpoint = of(resource);
      const etag = previousData ? await etagOf(resource, id, previousData) : null;
      const changed = Object.entries(data).filter(([field, value]) => !isUnchanged(value, previousData?.[field]));
      return one(resource, endpoint.send("PUT", at(id), endpoint.fields(Object.fromEntries(changed)), etag));
    },

    updateMany(resource, { ids, data }) {
      const endpoint = of(resource);
      const change = endpoint.fields(data);
      const single = (id: Identifier) => endpoint.send("PUT", at(id), change);
      // The text of a composite key does not tell numbers from texts, as the item of a batch does.
      if (endpoint.isComposite) return oneByOne(ids, single);
      const items = (some: Identifier[]) => some.map((id) => ({ ...change, [endpoint.key]: endpoint.keyOf(id) }));
      const batch = (some: Identifier[]) => endpoint.send<any>("PUT", "/batch", { items: items(some) });
      return inBatches(endpoint, ids, batch, single);
    },

    async delete(resource, { id }) {
      const endpoint = of(resource);
      return { data: endpoint.record((await endpoint.send<Item>("DELETE", at(id))).value) as any };
    },

    deleteMany(resource, { ids }) {
      const endpoint = of(resource);
      const keys = (some: Identifier[]) => some.map((id) => endpoint.keyOf(id));
      // A route for clients whose proxies drop the body of a DELETE.
      const batch = (some: Identifier[]) => endpoint.send<any>("POST", "/batch/delete", { ids: keys(some) });
      return inBatches(endpoint, ids, batch, (id) => endpoint.send("DELETE", at(id)));
    },

    restore: (resource, { id }) => one(resource, of(resource).send("POST", `${at(id)}/restore`)),

    transition: (resource, { id, name, data }) => one(resource, of(resource).send("POST", `${at(id)}/${name}`, data)),

    // The entries are no records of the resource.
    history: (resource, { id, ...params }) => readPage(of(resource, { key: "id" }), `${at(id)}/history`, [], params),
  };
}

function isUnchanged(value: unknown, previous: unknown): boolean {
  return isSame(value, previous) || isShownTime(value, previous);
}
