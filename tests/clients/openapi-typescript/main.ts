// The round trips of a client by openapi-typescript and openapi-fetch.

import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Order = components["schemas"]["Order"];

const [, , baseUrl, password] = process.argv;
const api = createClient<paths>({ baseUrl });

// A login gives the token of the requests after it.
const login = await api.POST("/auth/login", { body: { username: "admin", password: password ?? "" } });
assert(login.data);
const authorization = `Bearer ${login.data.access_token}`;
api.use({
  onRequest({ request }) {
    request.headers.set("authorization", authorization);
    return request;
  },
});

// Creates; what has a default may be left out.
const prefix = `openapi-typescript-${Date.now()}`;
const numbers = ["1", "2", "3"].map((number) => `${prefix}-${number}`);
const orders: Order[] = [];
let etag: string | null = null;
for (const [index, order_number] of numbers.entries()) {
  const created = await api.POST("/orders", { body: { order_number, total_price: index < 2 ? 10 : 5 } });
  assert(created.data);
  assert.equal(created.response.status, 201);
  assert.equal(created.data.status, "pending");
  orders.push(created.data);
  etag ??= created.response.headers.get("etag");
}
const [first] = orders;
assert(first && etag);

// A list of values, and two sort keys.
const list = await api.GET("/orders", {
  params: { query: { order_number__in: numbers, sort: ["-total_price", "order_number"], limit: 10 } },
});
assert(list.data);
assert.deepEqual(list.data.data.map((order) => order.order_number), numbers);
assert.equal(list.data.total, 3);

// A change of the version that was read, and one of an older version.
const path = { id: first.id };
const changed = await api.PATCH("/orders/{id}", {
  params: { path, header: { "If-Match": etag } },
  body: { status: "paid" },
});
assert.equal(changed.data?.status, "paid");
const stale = await api.PATCH("/orders/{id}", {
  params: { path, header: { "If-Match": etag } },
  body: { status: "shipped" },
});
assert.equal(stale.response.status, 412);
assert.equal(stale.error?.code, "precondition_failed");

// Delete and restore.
const deleted = await api.DELETE("/orders/{id}", { params: { path } });
assert.equal(deleted.data?.is_deleted, true);
assert.equal((await api.GET("/orders/{id}", { params: { path } })).response.status, 404);
const restored = await api.POST("/orders/{id}/restore", { params: { path } });
assert.equal(restored.data?.deleted_at, null);

// A batch of which one item fails.
const batch = await api.POST("/orders/batch", {
  body: {
    items: [
      { order_number: `${prefix}-4`, total_price: 1 },
      { order_number: first.order_number, total_price: 2 },
    ],
  },
});
assert.equal(batch.response.status, 207);
assert.equal(batch.data?.created, 1);
assert.equal(batch.data?.errors[0]?.index, 1);
assert.equal(batch.data?.errors[0]?.code, "conflict");

// A body that is refused, with the place of each error.
const refused = await api.POST("/orders", { body: { order_number: `${prefix}-5`, total_price: 1, product_id: 0.5 } });
assert.equal(refused.response.status, 422);
assert(refused.error);
assert.equal(refused.error.code, "validation_failed");
assert.equal(refused.error.errors?.[0]?.pointer, "/product_id");

// A file is sent as its bytes, and read as them.
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const category = await api.POST("/categories", { body: { name: prefix } });
assert(category.data);
const product = await api.POST("/products", {
  body: { name: "Lamp", price: 1, stock: 1, category_id: category.data.id },
});
assert(product.data);
const photo = { id: product.data.id };
const uploaded = await api.PUT("/products/{id}/photo", {
  params: { path: photo, header: { "Content-Disposition": 'attachment; filename="lamp.png"' } },
  headers: { "Content-Type": "image/png" },
  // Its types have a text for bytes.
  body: picture as unknown as string,
  bodySerializer: (body) => body,
});
assert.equal(uploaded.data?.photo?.name, "lamp.png");
assert.equal(uploaded.data?.photo?.size, picture.length);
const downloaded = await api.GET("/products/{id}/photo", { params: { path: photo }, parseAs: "arrayBuffer" });
assert(downloaded.data);
assert.deepEqual(Buffer.from(downloaded.data), picture);
assert.equal((await api.DELETE("/products/{id}/photo", { params: { path: photo } })).response.status, 204);

console.log("openapi-typescript: ok");
