import { beforeAll, expect, test } from "vitest";

import { CrudError, attempt, createCrud } from "../src/index.js";
import type { paths } from "./api.js";
import { shopClient, unique } from "./support.js";

let shop: Awaited<ReturnType<typeof shopClient>>;

beforeAll(async () => {
  shop = await shopClient();
});

test("a list has the service's filters, sorts and totals", async () => {
  const { crud, sent } = shop;
  const page = await crud.products.list({ price__gt: 5, id__in: [1, 2, 3], sort: ["-price", "id"], limit: 2 });
  expect(sent.at(-1)!.target).toBe("/products?price__gt=5&id__in=1,2,3&sort=-price,id&limit=2");
  expect(page.data.length).toBeLessThanOrEqual(2);
  expect(page.total).toBeGreaterThan(0);
});

test("each record of a list comes once, page after page", async () => {
  const { crud, sent } = shop;
  const before = sent.length;
  const ids: number[] = [];
  for await (const product of crud.products.each({ id__lte: 250, sort: ["id"], limit: 100 })) ids.push(product.id);
  expect(ids).toEqual(Array.from({ length: 250 }, (_, index) => index + 1));
  expect(sent.slice(before).map(({ target }) => /skip=\d+/.exec(target)?.[0])).toEqual([
    undefined,
    "skip=100",
    "skip=200",
    "skip=250",
  ]);
});

test("a loop that is left reads no further page", async () => {
  const { crud, sent } = shop;
  const before = sent.length;
  for await (const product of crud.products.each({ limit: 10 })) if (product.id > 0) break;
  expect(sent.length - before).toBe(1);
});

test("a record that was read is changed only if it is the same still", async () => {
  const { crud, sent } = shop;
  const made = await crud.products.create({ name: unique("Lamp"), price: 5, stock: 1, category_id: 1 });
  const changed = await crud.products.update(made, { price: 6 });
  expect(sent.at(-1)!.headers.get("if-match")).toMatch(/^"/);
  expect(changed.price).toBe(6);
  const { problem } = await attempt(crud.products.update(made, { price: 7 }));
  expect(problem?.code).toBe("precondition_failed");
  expect((await crud.products.update(changed, { price: 8 })).price).toBe(8);
  // A key changes whatever is there.
  expect((await crud.products.update(made.id, { price: 9 })).price).toBe(9);
  expect(sent.at(-1)!.headers.get("if-match")).toBeNull();
});

test("a record of a list is read again, and is changed if it shows what the list showed", async () => {
  const { crud } = shop;
  const made = await crud.products.create({ name: unique("Desk"), price: 5, stock: 1, category_id: 1 });
  const listed = async () => (await crud.products.list({ id: made.id })).data[0]!;
  const [first, second] = [await listed(), await listed()];
  expect((await crud.products.update(first, { price: 6 })).price).toBe(6);
  const error = await crud.products.update(second, { price: 7 }).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(CrudError);
  expect((error as CrudError).status).toBe(412);
  expect((await crud.products.get(made.id)).price).toBe(6);
});

test("a record is deleted and restored, and its history is read", async () => {
  const { crud } = shop;
  const made = await crud.products.create({ name: unique("Vase"), price: 5, stock: 1, category_id: 1 });
  await crud.products.delete(made);
  expect((await attempt(crud.products.get(made))).problem?.status).toBe(404);
  expect((await crud.products.restore(made)).is_deleted).toBe(false);
  const history = await crud.products.history(made.id);
  expect(history.data.map(({ action }) => action)).toEqual(["create", "soft_delete", "restore"]);
});

test("a search has a condition in JSON", async () => {
  const found = await shop.crud.products.search({ where: { or: [{ id: 1 }, { id__in: [2, 3] }] }, limit: 10 });
  expect(found.data.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
});

test("a problem is a value with the places of its errors", async () => {
  const { problem } = await attempt(shop.crud.products.create({ name: "", price: -1, stock: 1, category_id: 1 }));
  expect(problem?.code).toBe("validation_failed");
  expect(problem?.errors?.map(({ pointer, code }) => [pointer, code])).toEqual([
    ["/name", "min_length"],
    ["/price", "min"],
  ]);
  expect(problem?.errors?.[0]?.params).toEqual({ min: 1, unit: "character" });
});

test("a session logs in and out, and a client without one sees what is public", async () => {
  const crud = createCrud<paths>(shop.session.url);
  expect(crud.$session.username()).toBeNull();
  expect((await attempt(crud.products.create({ name: "x", price: 1, stock: 1, category_id: 1 }))).problem?.status).toBe(401);
  expect((await crud.$request<{ status: string }>("GET", "/health")).status).toBe("ok");
});
