// The round trips of a client by orval.

import assert from "node:assert/strict";
import {
  batchCreateOrders,
  createCategory,
  createOrder,
  createProduct,
  deleteOrder,
  downloadProductPhoto,
  getOrder,
  listOrders,
  login,
  patchOrder,
  restoreOrder,
  uploadProductPhoto,
} from "./client.js";
import type { Order } from "./client.js";

// Its functions send paths: the origin is this program's.
const [, , baseUrl, password] = process.argv;
const send = globalThis.fetch;
globalThis.fetch = (path, options) => send(`${baseUrl}${path}`, options);

// A login gives the token of the requests after it.
const tokens = await login({ username: "admin", password: password ?? "" });
assert(tokens.status === 200);
const authorized = { headers: { authorization: `Bearer ${tokens.data.access_token}` } };

// Creates; what has a default may be left out.
const prefix = `orval-${Date.now()}`;
const numbers = ["1", "2", "3"].map((number) => `${prefix}-${number}`);
const orders: Order[] = [];
let etag: string | null = null;
for (const [index, order_number] of numbers.entries()) {
  const created = await createOrder({ order_number, total_price: index < 2 ? 10 : 5 }, undefined, authorized);
  assert(created.status === 201);
  assert.equal(created.data.status, "pending");
  orders.push(created.data);
  etag ??= created.headers.get("etag");
}
const [first] = orders;
assert(first && etag);

// A list of values, and two sort keys.
const list = await listOrders({ order_number__in: numbers, sort: ["-total_price", "order_number"] }, authorized);
assert(list.status === 200);
assert.deepEqual(list.data.data.map((order) => order.order_number), numbers);
assert.equal(list.data.total, 3);

// A change of the version that was read, and one of an older version. The generated function states no type of a body that
// may be of several: here, fields of the record or a JSON Patch.
const matching = { headers: { ...authorized.headers, "If-Match": etag, "Content-Type": "application/json" } };
const changed = await patchOrder(first.id, { status: "paid" }, undefined, matching);
assert(changed.status === 200);
assert.equal(changed.data.status, "paid");
const stale = await patchOrder(first.id, { status: "shipped" }, undefined, matching);
assert(stale.status === 412);
assert.equal(stale.data.code, "precondition_failed");

// Delete and restore.
const deleted = await deleteOrder(first.id, authorized);
assert(deleted.status === 200);
assert.equal(deleted.data.is_deleted, true);
assert.equal((await getOrder(first.id, undefined, authorized)).status, 404);
const restored = await restoreOrder(first.id, authorized);
assert(restored.status === 200);
assert.equal(restored.data.deleted_at, null);

// A batch of which one item fails.
const items = [
  { order_number: `${prefix}-4`, total_price: 1 },
  { order_number: first.order_number, total_price: 2 },
];
const batch = await batchCreateOrders({ items }, authorized);
assert(batch.status === 207);
assert.equal(batch.data.created, 1);
assert.equal(batch.data.errors[0]?.index, 1);
assert.equal(batch.data.errors[0]?.code, "conflict");

// A body that is refused, with the place of each error.
const body = { order_number: `${prefix}-5`, total_price: 1, product_id: 0.5 };
const refused = await createOrder(body, undefined, authorized);
assert(refused.status === 422);
assert.equal(refused.data.code, "validation_failed");
assert.equal(refused.data.errors?.[0]?.pointer, "/product_id");

// A file is sent as its bytes, and read as them.
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const category = await createCategory({ name: prefix }, authorized);
assert(category.status === 201);
const lamp = { name: "Lamp", price: 1, stock: 1, category_id: category.data.id };
const product = await createProduct(lamp, undefined, authorized);
assert(product.status === 201);
const named = { headers: { ...authorized.headers, "Content-Disposition": 'attachment; filename="lamp.png"' } };
const uploaded = await uploadProductPhoto(product.data.id, new Blob([picture], { type: "image/png" }), named);
assert(uploaded.status === 200);
assert.equal(uploaded.data.photo?.name, "lamp.png");
assert.equal(uploaded.data.photo?.size, picture.length);
const downloaded = await downloadProductPhoto(product.data.id, undefined, authorized);
assert(downloaded.status === 200);
assert.deepEqual(Buffer.from(await downloaded.data.arrayBuffer()), picture);

console.log("orval: ok");
