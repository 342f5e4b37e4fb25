import { beforeAll, beforeEach, describe, expect, inject, test, vi } from "vitest";

import { createSession, crudDataProvider } from "../src/index.js";
import { failure, shopProvider, unique } from "./support.js";

type Shop = Awaited<ReturnType<typeof shopProvider>>;

let shop: Shop;
let provider: Shop["provider"];
let sent: Shop["sent"];
const page = (perPage: number, number = 1) => ({ page: number, perPage });
const byId = { field: "id", order: "ASC" } as const;

beforeAll(async () => {
  shop = await shopProvider();
  ({ provider, sent } = shop);
});

beforeEach(() => {
  sent.length = 0;
});

async function newProduct(fields: object = {}) {
  const data = { name: unique("Lamp"), price: 10, stock: 5, category_id: 1, ...fields };
  return (await provider.create("products", { data })).data;
}

describe("getList", () => {
  test("asks for a page, sorted", async () => {
    const { data, total } = await provider.getList("products", {
      pagination: page(5, 3),
      sort: { field: "price", order: "DESC" },
      filter: { price__lt: 50 },
    });
    expect(sent.map(({ target }) => target)).toEqual(["/products?price__lt=50&sort=-price&skip=10&limit=5"]);
    expect(data).toHaveLength(5);
    expect(total).toBeGreaterThan(1000);
    const prices = data.map(({ price }) => price);
    expect(prices).toEqual([...prices].sort((a, b) => b - a));
  });

  test("filters by operators, lists, words, other records and conditions", async () => {
    const totalOf = async (resource: string, filter: object) =>
      (await provider.getList(resource, { pagination: page(1), sort: byId, filter })).total;
    const all = await totalOf("products", {});
    const dear = await totalOf("products", { price__gte: 100 });
    expect(dear).toBeLessThan(all!);
    expect(await totalOf("products", { price__lt: 100 })).toBe(all! - dear!);
    const lamps = await totalOf("products", { category: { name: "Lighting" } });
    expect(await totalOf("products", { category_id: [20] })).toBe(lamps);
    expect(await totalOf("products", { q: "lamp", name: "" })).toBeGreaterThan(0);
    expect(await totalOf("products", { where: { or: [{ price__gte: 100 }, { price__lt: 100 }] } })).toBe(all);
    const paid = await totalOf("orders", { status: "paid" });
    const shipped = await totalOf("orders", { status: "shipped" });
    expect(await totalOf("orders", { status: ["paid", "shipped"] })).toBe(paid! + shipped!);
    expect(await totalOf("orders", { status__nin: ["paid", "shipped"] })).toBe(5000 - paid! - shipped!);
    expect(await totalOf("orders", { product_id: null })).toBe(0);
  });

  test("lists in the default order what cannot be sorted by a field", async () => {
    const params = { pagination: page(3), sort: { field: "updated_at", order: "DESC" } as const, filter: {} };
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    expect((await provider.getList("orders", params)).data).toHaveLength(3);
    expect(warned).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("orders cannot be sorted by updated_at"));
    await provider.getList("orders", params);
    warned.mockRestore();
    expect(sent.map(({ target }) => target)).toEqual([
      "/orders?sort=-updated_at&skip=0&limit=3", "/orders?skip=0&limit=3", "/orders?skip=0&limit=3",
    ]);
  });

  test("reads a page beyond max_limit by several requests", async () => {
    const { data, total } = await provider.getList("orders", { pagination: page(250), sort: byId, filter: {} });
    expect(sent.map(({ target }) => target.split("&").slice(1).join("&"))).toEqual([
      "skip=0&limit=100", "skip=100&limit=100", "skip=200&limit=50",
    ]);
    expect(new Set(data.map(({ id }) => id)).size).toBe(250);
    expect(total).toBe(5000);
  });

  test("expands references, and shows deleted records, by meta.query", async () => {
    const { data } = await provider.getList("products", {
      pagination: page(1), sort: byId, filter: {}, meta: { query: { expand: "category", include_deleted: true } },
    });
    expect(data[0].category.id).toBe(data[0].category_id);
  });

  test("without a total, says whether there is a next page", async () => {
    const uncounted = crudDataProvider(inject("shop"), {
      fetch: (url, init) => fetch(url, { ...init, headers: { prefer: "count=none" } }),
    });
    const params = { sort: byId, filter: {} };
    expect(await uncounted.getList("categories", { ...params, pagination: page(40, 1) })).toMatchObject({
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    });
    const last = await uncounted.getList("categories", { ...params, pagination: page(40, 2) });
    expect(last.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: true });
    expect(last.total).toBeUndefined();
  });

  test("names the parameter that is wrong", async () => {
    const error = await failure(provider.getList("products", { pagination: page(1), sort: byId, filter: { prise: 1 } }));
    expect(error).toMatchObject({ status: 422, body: { code: "validation_failed" } });
    expect(error.message).toContain("prise: is not a parameter");
    expect(error.body.errors).toBeUndefined();
  });

  test("can be aborted", async () => {
    const signal = AbortSignal.abort();
    const error = await failure(provider.getList("products", { pagination: page(1), sort: byId, filter: {}, signal }));
    expect(error.name).toBe("AbortError");
  });
});

test("getOne reads a record; a missing one is 404", async () => {
  expect((await provider.getOne("products", { id: "7" })).data.id).toBe(7);
  const error = await failure(provider.getOne("products", { id: 0 }));
  expect(error).toMatchObject({ status: 404, message: "Product with id 0 not found", body: { code: "not_found" } });
});

describe("getMany", () => {
  test("reads the records in one request, however small the default page is", async () => {
    const ids = Array.from({ length: 30 }, (_, index) => index + 1);
    const { data } = await provider.getMany("categories", { ids: [...ids, 1] });
    expect(data.map(({ id }) => id).sort((a, b) => a - b)).toEqual(ids);
    expect(sent).toHaveLength(1);
  });

  test("reads more than a hundred by several requests", async () => {
    const { data } = await provider.getMany("orders", { ids: Array.from({ length: 230 }, (_, index) => index + 1) });
    expect(data).toHaveLength(230);
    expect(sent).toHaveLength(3);
  });
});

test("getManyReference lists the records that refer to another", async () => {
  const { data, total } = await provider.getManyReference("products", {
    target: "category_id", id: 20, pagination: page(5), sort: { field: "name", order: "ASC" }, filter: { stock__gt: 0 },
  });
  expect(sent[0]!.target).toBe("/products?stock__gt=0&category_id=20&sort=name&skip=0&limit=5");
  expect(data.every(({ category_id, stock }) => category_id === 20 && stock > 0)).toBe(true);
  expect(total).toBeGreaterThan(5);
});

describe("create", () => {
  test("leaves out empty inputs, whose fields get their defaults", async () => {
    const { data } = await provider.create("orders", {
      data: { order_number: unique("A"), total_price: 3, status: null, product_id: null },
    });
    expect(data).toMatchObject({ status: "pending", product_id: null });
  });

  test("has the errors of all fields, by their names", async () => {
    const error = await failure(provider.create("products", { data: { name: "", price: -1, stock: 1, category_id: 1 } }));
    expect(error).toMatchObject({ status: 422, body: { code: "validation_failed" } });
    expect(error.body.errors).toEqual({
      name: "must have at least 1 character",
      price: "must be at least 0",
      root: { serverError: "name: must have at least 1 character; price: must be at least 0" },
    });
  });

  test("has the field of a conflict, and of a reference to nothing", async () => {
    const order_number = unique("A");
    await provider.create("orders", { data: { order_number, total_price: 1 } });
    const taken = await failure(provider.create("orders", { data: { order_number, total_price: 1 } }));
    expect(taken).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect(taken.body.errors.order_number).toBe("is taken by another record");
    const data = { name: "x", price: 1, stock: 1, category_id: 9_999 };
    const dangling = await failure(provider.create("products", { data }));
    expect(dangling.body).toMatchObject({ code: "reference_not_found", errors: { category_id: expect.any(String) } });
  });
});

describe("update", () => {
  test("sends what was changed, if the record is as it was read", async () => {
    const { id } = await newProduct();
    const previousData = (await provider.getOne("products", { id })).data;
    sent.length = 0;
    const { data } = await provider.update("products", { id, data: { ...previousData, price: 12 }, previousData });
    expect(data.price).toBe(12);
    expect(sent).toHaveLength(1);
    expect(sent[0]!.body).toBe('{"price":12}');
    expect(sent[0]!.headers.get("if-match")).toMatch(/^"[0-9a-f]+"$/);
    // The answer is the next version.
    await provider.update("products", { id, data: { ...data, price: 13 }, previousData: data });
  });

  test("of a record that was changed since is 412, and changes nothing", async () => {
    const previousData = await newProduct();
    const { id } = previousData;
    const other = (await shopProvider()).provider;
    await other.update("products", { id, data: { stock: 1 }, previousData });
    const error = await failure(provider.update("products", { id, data: { ...previousData, stock: 2 }, previousData }));
    expect(error).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
    expect(error.message).toContain("has changed since it was opened");
    expect((await provider.getOne("products", { id })).data.stock).toBe(1);
  });

  test("of a record of a list reads its version first", async () => {
    const { id, name } = await newProduct();
    const list = { pagination: page(1), sort: byId, filter: { name }, meta: { query: { expand: "category" } } };
    const fresh = (await shopProvider()).provider;
    const [previousData] = (await fresh.getList("products", list)).data;
    await fresh.update("products", { id, data: { ...previousData, stock: 6 }, previousData });
    const stale = (await shopProvider()).provider;
    const error = await failure(stale.update("products", { id, data: { ...previousData, stock: 7 }, previousData }));
    expect(error.status).toBe(412);
  });

  test("of an expanded record", async () => {
    const { id } = await newProduct();
    const previousData = (await provider.getOne("products", { id, meta: { query: { expand: "category" } } })).data;
    expect(previousData.category.id).toBe(1);
    const { data } = await provider.update("products", { id, data: { ...previousData, stock: 8 }, previousData });
    expect(data.stock).toBe(8);
  });

  test("without previousData has no condition", async () => {
    const { id } = await newProduct();
    const params = { id, data: { stock: 9 }, previousData: undefined };
    expect((await provider.update("products", params)).data.stock).toBe(9);
    expect(sent.at(-1)!.headers.get("if-match")).toBeNull();
  });

  test("has the errors of fields", async () => {
    const previousData = await newProduct();
    const params = { id: previousData.id, data: { ...previousData, stock: 1.5 }, previousData };
    expect((await failure(provider.update("products", params))).body.errors.stock).toBe("must be an integer");
  });
});

describe("updateMany", () => {
  test("is one batch", async () => {
    const ids = [(await newProduct()).id, (await newProduct()).id];
    sent.length = 0;
    expect(await provider.updateMany("products", { ids, data: { stock: 77 } })).toEqual({ data: ids });
    expect(sent.map(({ method, target }) => `${method} ${target}`)).toEqual(["PUT /products/batch"]);
    const { data } = await provider.getMany("products", { ids });
    expect(data.map(({ stock }) => stock)).toEqual([77, 77]);
  });

  test("takes several batches where there are more records than one takes", async () => {
    const small = await shopProvider({ products: { batch: 2 } });
    const ids = [(await newProduct()).id, (await newProduct()).id, (await newProduct()).id];
    await small.provider.updateMany("products", { ids, data: { stock: 3 } });
    expect(small.sent).toHaveLength(2);
  });

  test("is one request for each record without batches", async () => {
    const single = await shopProvider({ products: { batch: false } });
    const ids = [(await newProduct()).id, (await newProduct()).id];
    await single.provider.updateMany("products", { ids, data: { stock: 4 } });
    expect(single.sent.map(({ method, target }) => `${method} ${target}`)).toEqual(ids.map((id) => `PUT /products/${id}`));
    await single.provider.deleteMany("products", { ids });
    expect((await provider.getMany("products", { ids })).data).toEqual([]);
  });

  test("that is refused names the reason", async () => {
    const error = await failure(provider.updateMany("products", { ids: [1, 2], data: { price: -1 } }));
    expect(error).toMatchObject({ status: 422, body: { code: "validation_failed" } });
    expect(error.message).toContain("price: must be at least 0");
    expect(error.body.errors).toBeUndefined();
  });

  test("that is done in part says what is saved", async () => {
    const { data: order } = await provider.create("orders", { data: { order_number: unique("A"), total_price: 1 } });
    const error = await failure(provider.updateMany("orders", { ids: [order.id, 999_999], data: { status: "paid" } }));
    expect(error.status).toBe(404);
    expect(error.message).toContain("1 of 2 records are saved. Not saved: 999999: Order with id 999999 not found");
    expect((await provider.getOne("orders", { id: order.id })).data.status).toBe("paid");
  });
});

describe("delete, restore and history", () => {
  test("a deleted record is absent until it is restored, and the log has it all", async () => {
    const { id } = await newProduct();
    expect((await provider.delete("products", { id })).data).toMatchObject({ id, is_deleted: true });
    expect((await failure(provider.getOne("products", { id }))).status).toBe(404);
    const deleted = { pagination: page(100), sort: byId, filter: { only_deleted: true, category_id: 1 } };
    expect((await provider.getList("products", deleted)).data.map((product) => product.id)).toContain(id);

    const { data } = await provider.restore("products", { id });
    expect(data).toMatchObject({ id, is_deleted: false });
    await provider.update("products", { id, data: { ...data, stock: 1 }, previousData: data });
    expect(await failure(provider.restore("products", { id }))).toMatchObject({ status: 409, body: { code: "not_deleted" } });

    const history = await provider.history("products", { id });
    expect(history.data.map(({ action }) => action)).toEqual(["create", "soft_delete", "restore", "update"]);
    expect(history.total).toBe(4);
    expect((await provider.history("products", { id, pagination: page(1, 2) })).data[0].action).toBe("soft_delete");
  });

  test("deleteMany is one batch", async () => {
    const ids = [(await newProduct()).id, (await newProduct()).id];
    sent.length = 0;
    expect(await provider.deleteMany("products", { ids })).toEqual({ data: ids });
    expect(sent.map(({ method, target }) => `${method} ${target}`)).toEqual(["POST /products/batch/delete"]);
    expect((await provider.getMany("products", { ids })).data).toEqual([]);
  });
});

test("a list without sort is read without", async () => {
  const { provider } = await shopProvider({ log: { path: "audit-logs", sort: false } });
  const filter = { entity_type: "Category" };
  expect((await provider.getList("log", { pagination: page(10), sort: byId, filter })).total).toBe(0);
});

test("integers beyond 2^53 are sent as the numbers that they are", async () => {
  const { provider, sent } = await shopProvider({ products: { integers: ["category_id"] } });
  const data = { name: "x", price: 1, stock: 1, category_id: "9007199254740993" };
  const error = await failure(provider.create("products", { data }));
  expect(sent[0]!.body).toContain('"category_id":9007199254740993}');
  expect(error.body).toMatchObject({ code: "reference_not_found", errors: { category_id: expect.any(String) } });
});

describe("without a login", () => {
  test("public lists are read, and changes are 401", async () => {
    const anonymous = crudDataProvider(inject("shop"), { fetch: createSession(inject("shop")).fetch });
    expect((await anonymous.getMany("categories", { ids: [1] })).data).toHaveLength(1);
    const error = await failure(anonymous.create("categories", { data: { name: "x" } }));
    expect(error).toMatchObject({ status: 401, body: { code: "authentication_failed" } });
  });
});

describe("a composite key", () => {
  const asked: [string, RequestInit | undefined][] = [];
  const line = { order_id: 7, code: "a/b,c", amount: 2 };
  const lines = crudDataProvider("/api", {
    resources: { lines: { key: ["order_id", "code"] } },
    fetch: async (target, init) => {
      asked.push([target, init]);
      const isList = /lines\?/.test(target);
      const body = isList ? { data: [line], total: 1, total_relation: "eq" } : line;
      return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
    },
  });
  const id = "7,a%2Fb%2Cc";

  beforeEach(() => {
    asked.length = 0;
  });

  test("is the text of its path", async () => {
    const { data } = await lines.getList("lines", { pagination: page(1), sort: { field: "id", order: "DESC" }, filter: {} });
    expect(data).toEqual([{ ...line, id }]);
    expect(asked[0]![0]).toBe("/api/lines?sort=-order_id%2C-code&skip=0&limit=1");
    await lines.getOne("lines", { id });
    expect(decodeURIComponent(asked[1]![0])).toBe(`/api/lines/${id}`);
  });

  test("finds several records, and changes them one by one", async () => {
    await lines.getMany("lines", { ids: [id] });
    expect(decodeURIComponent(asked[0]![0])).toContain(`id__in="${id}"`);
    await lines.updateMany("lines", { ids: [id], data: { amount: 3 } });
    expect(asked[1]![1]).toMatchObject({ method: "PUT", body: '{"amount":3}' });
  });
});
