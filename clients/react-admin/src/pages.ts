import type { GetListParams, GetListResult, QueryFunctionContext } from "ra-core";

import type { Endpoint, Item, Query } from "./endpoint.js";

interface Page {
  data: Item[];
  total: number | null;
  total_relation: "eq" | "gte" | null;
}

/** Reads a page of a list, by as many requests as the resource's `max_limit` demands. */
export async function readPage(
  endpoint: Endpoint,
  path: string,
  query: Query,
  { pagination, signal }: GetListParams & QueryFunctionContext,
): Promise<GetListResult> {
  const { page, perPage } = pagination ?? { page: 1, perPage: 25 };
  const data: Item[] = [];
  for (;;) {
    const skip = (page - 1) * perPage + data.length;
    const limit = Math.min(perPage - data.length, endpoint.maxLimit);
    const range: Query = [["skip", String(skip)], ["limit", String(limit)]];
    const { value } = await endpoint.get<Page>(path, [...query, ...range], signal);
    data.push(...value.data.map((item) => endpoint.record(item)));
    const isFull = value.data.length === limit;
    if (isFull && data.length < perPage) continue;
    const isExact = value.total !== null && value.total_relation === "eq";
    const totals = isExact ? { total: value.total as number } : { pageInfo: { hasNextPage: isFull, hasPreviousPage: page > 1 } };
    return { data: data as GetListResult["data"], ...totals };
  }
}
