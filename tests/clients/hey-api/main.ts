// The round trips of a client by @hey-api/openapi-ts.

import assert from "node:assert/strict";
import { client } from "./client/client.gen.js";
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
} from "./client/index.js";
import type { Order } from "./client/index.js";

const [, , baseUrl, password] = process.argv;
client.setConfig({ baseUrl });

// A login gives the token of the requests after it.
const tokens = await login({ body: { username: "admin", password: password ?? "" } });
assert(tokens.data);
const token = tokens.data.access_token;
client.setConfig({ auth: () => token });

// Creates; what has a default may be left out.
const prefix = `hey-api-${Date.now()}`;
const numbers = ["1", "2", "3"].map((number) => `${prefix}-${number}`);
const orders: Order[] = [];
let etag: string | null = null;
for (const [index, order_number] of numbers.entries()) {
  const created = await createOrder({ body: { order_number, total_price: index < 2 ? 10 : 5 } });
  assert(created.data);
  assert.equal(created.data.status, "pending");
  orders.push(created.data);
  etag ??= created.response.headers.get("etag");
}
const [first] = orders;
assert(first && etag);

// A list of values, and two sort keys.
const list = await listOrders({ query: { order_number__in: numbers, sort: ["-total_price", "order_number"] } });
assert(list.data);
assert.deepEqual(list.data.data.map((order) => order.order_number), numbers);
assert.equal(list.data.total, 3);

// A change of the version that was read, and one of an older version.
const path = { id: first.id };
const headers = { "If-Match": etag };
const changed = await patchOrder({ path, headers, body: { status: "paid" } });
assert.equal(changed.data?.status, "paid");
const stale = await patchOrder({ path, headers, body: { status: "shipped" } });
assert.equal(stale.response.status, 412);
assert.equal(stale.error?.code, "precondition_failed");

// Delete and restore.
const deleted = await deleteOrder({ path });
assert.equal(deleted.data?.is_deleted, true);
assert.equal((await getOrder({ path })).response.status, 404);
const restored = await restoreOrder({ path });
assert.equal(restored.data?.deleted_at, null);

// A batch of which one item fails.
const items = [
  { order_number: `${prefix}-4`, total_price: 1 },
  { order_number: first.order_number, total_price: 2 },
];
const batch = await batchCreateOrders({ body: { items } });
assert.equal(batch.response.status, 207);
assert.equal(batch.data?.created, 1);
assert.equal(batch.data?.errors[0]?.index, 1);
assert.equal(batch.data?.errors[0]?.code, "conflict");

// A body that is refused, with the place of each error.
const refused = await createOrder({ body: { order_number: `${prefix}-5`, total_price: 1, product_id: 0.5 } });
assert.equal(refused.response.status, 422);
assert.equal(refused.error?.code, "validation_failed");
assert.equal(refused.error?.errors?.[0]?.pointer, "/product_id");

// A file is sent as its bytes, and read as them.
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const category = await createCategory({ body: { name: prefix } });
assert(category.data);
const product = await createProduct({ body: { name: "Lamp", price: 1, stock: 1, category_id: category.data.id } });
assert(product.data);
const photo = { id: product.data.id };
const uploaded = await uploadProductPhoto({
  path: photo,
  headers: { "Content-Disposition": 'attachment; filename="lamp.png"' },
  body: new Blob([picture], { type: "image/png" }),
  bodySerializer: (body: unknown) => body,
});
assert.equal(uploaded.data?.photo?.name, "lamp.png");
assert.equal(uploaded.data?.photo?.size, picture.length);
const downloaded = await downloadProductPhoto({ path: photo, parseAs: "blob" });
assert(downloaded.data);
assert.deepEqual(Buffer.from(await downloaded.data.arrayBuffer()), picture);

console.log("hey-api: ok");
