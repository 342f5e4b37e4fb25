import { expect, expectTypeOf, test } from "vitest";

import { CrudError, attempt, createCrud } from "../src/index.js";
import type { components, paths } from "./api.js";

/** A client whose requests have these answers one after the other, and the requests. */
function answering<Paths = paths>(answers: [body: string, init?: ResponseInit][], keys: Record<string, string[]> = {}) {
  const sent: [string, RequestInit | undefined][] = [];
  const crud = createCrud<Paths>("/api/", {
    keys,
    fetch: async (url, init) => {
      sent.push([url, init]);
      const [body, answer] = answers[Math.min(sent.length, answers.length) - 1]!;
      return new Response(body, answer);
    },
  });
  return { crud, sent };
}

test("methods and fields have the types of the document", () => {
  const { crud } = answering([["{}"]]);
  type Product = components["schemas"]["Product"];
  expectTypeOf(crud.products.get).returns.resolves.toEqualTypeOf<Product>();
  expectTypeOf(crud.products.list).returns.resolves.toEqualTypeOf<components["schemas"]["ProductList"]>();
  expectTypeOf(crud.products.each({})).toEqualTypeOf<AsyncIterable<Product>>();
  expectTypeOf(crud.products.create).parameter(0).toEqualTypeOf<components["schemas"]["ProductCreate"]>();
  // @ts-expect-error: the list has no such filter
  void crud.products.list({ prize: 5 });
  // @ts-expect-error: the service has no such resource
  void crud.produce;
  // @ts-expect-error: categories have no soft delete
  void crud.categories.restore;
});

test("pages are followed by their cursors", async () => {
  const page = (ids: number[], next: string | null): [string] => [JSON.stringify({ data: ids.map((id) => ({ id })), next_cursor: next })];
  const { crud, sent } = answering([page([1, 2], "a/b"), page([3], null)]);
  const ids: number[] = [];
  for await (const { id } of crud.orders.each({ sort: ["id"] })) ids.push(id);
  expect(ids).toEqual([1, 2, 3]);
  expect(sent.map(([url]) => url)).toEqual(["/api/orders?sort=id", "/api/orders?sort=id&cursor=a%2Fb"]);
});

test("a list without pages is one request", async () => {
  const { crud, sent } = answering([['[{"id":1},{"id":2}]']]);
  const ids: number[] = [];
  for await (const { id } of crud.orders.each()) ids.push(id);
  expect([ids, sent.length]).toEqual([[1, 2], 1]);
});

test("a transition is a request below the record, of the version that was read or of none", async () => {
  type Order = { id: number; status: string };
  type Answer = { responses: { 200: { content: { "application/json": Order } } } };
  type Orders = { "/orders/{id}": { get: Answer }; "/orders/{id}/ship": { post: Answer & { requestBody?: { content: { "application/json": { note?: string } } } } } };
  const { crud, sent } = answering<Orders>([['{"id":7,"status":"shipped"}', { headers: { etag: 'W/"1"' } }]]);
  expect((await crud.orders.act(7, "ship", { note: "by train" })).status).toBe("shipped");
  expect(sent[0]).toMatchObject(["/api/orders/7/ship", { method: "POST", body: '{"note":"by train"}' }]);
  // @ts-expect-error: orders have no such transition
  await crud.orders.act(7, "burn");
});

test("keys of several fields, and of other names, are parts of the path", async () => {
  type Member = { team: string; user: number; role: string };
  type Answer = { responses: { 200: { content: { "application/json": Member } } } };
  type Members = { "/members/{id}": { get: Answer; patch: Answer & { requestBody: { content: { "application/json": { role?: string } } } } } };
  const { crud, sent } = answering<Members>([['{"team":"a/b, c","user":3,"role":"x"}']], { members: ["team", "user"] });
  const member = await crud.members.get(["a/b, c", 3]);
  await crud.members.update({ ...member }, { role: "y" });
  expect(sent.map(([url]) => url)).toEqual(Array(3).fill("/api/members/a%2Fb%2C%20c,3"));
  await expect(crud.members.get({ role: "x" } as Member)).rejects.toThrow("a record of /members has no team, user");
});

test("an entity tag that a proxy has weakened is the service's again", async () => {
  const { crud, sent } = answering([['{"id":1,"price":1}', { headers: { etag: 'W/"96930ce3"' } }]]);
  await crud.products.update(await crud.products.get(1), { price: 2 });
  expect(new Headers(sent[1]![1]!.headers).get("if-match")).toBe('"96930ce3"');
});

test("integers beyond 2^53 keep their digits", async () => {
  const { crud, sent } = answering([['{"id":9007199254740993}']]);
  const read = await crud.products.get("9007199254740993");
  expect(read.id).toBe("9007199254740993");
  expect(sent[0]![0]).toBe("/api/products/9007199254740993");
});

test("a proxy's page is a problem, and a network that fails is thrown", async () => {
  const { crud } = answering([["<html>", { status: 502, statusText: "Bad Gateway" }], ["<html>", {}]]);
  expect((await attempt(crud.products.get(1))).problem).toMatchObject({ status: 502, code: "unreadable" });
  expect((await attempt(crud.products.get(1))).problem).toMatchObject({ status: 200, detail: "The answer is not JSON" });
  const offline = createCrud<paths>("/api", { fetch: () => Promise.reject(new TypeError("failed to fetch")) });
  await expect(attempt(offline.products.get(1))).rejects.toThrow(TypeError);
});

test("a client can be awaited, and its errors have their headers", async () => {
  const { crud } = answering([['{"status":429,"code":"too_many_requests","title":"x","detail":"wait"}', { status: 429, headers: { "retry-after": "3" } }]]);
  const same = await Promise.resolve(crud);
  const error = await same.products.get(1).catch((error: unknown) => error as CrudError);
  expect((error as CrudError).headers.get("retry-after")).toBe("3");
});
