// Large lists and records, bounded by what is there and what is asked for: times differ from machine to machine.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { PASSWORD, go, launch, logIn, open, start, violations } from "./support.mjs";

const COLUMNS = 200;
const ROWS = 100;
const KINDS = ["text", "int", "bool", "datetime"];
const FIELDS = Array.from({ length: COLUMNS }, (_, index) => ({
  name: `f${index}`, label: `Field ${index}`, kind: KINDS[index % 4], nullable: true, rules: { max_length: 50 },
}));
const valueOf = (index, row) =>
  [`value ${row}/${index}`, row * index, row % 2 === 0, "2026-01-02T03:04:05Z"][index % 4];
const RECORDS = Array.from({ length: ROWS }, (_, row) => ({
  id: row + 1, name: `Row ${row}`, ...Object.fromEntries(FIELDS.map(({ name }, index) => [name, valueOf(index, row)])),
}));

let shop, browser, api;

before(async () => {
  shop = await start(process.env.SHOP,
    { seed: ["seed", "10000"], args: ["--auth"], env: { SHOP_ADMIN_PASSWORD: PASSWORD } });
  api = await shop.client();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await shop?.stop();
});

const nodes = (page) => page.evaluate(() => document.querySelectorAll("*").length);

/** The shop's page with 200 further columns of categories. */
async function openWide(options) {
  const opened = await open(browser, shop.url, options);
  await opened.page.route("**/admin/schema", async (route) => {
    const response = await route.fetch();
    const schema = await response.json();
    schema.resources.find(({ name }) => name === "Category").fields.push(...FIELDS);
    await route.fulfill({ response, json: schema });
  });
  const page = { data: RECORDS, total: ROWS, total_relation: "eq", skip: 0, limit: ROWS };
  await opened.page.route("**/categories?*", (route) => route.fulfill({ json: page }));
  await opened.page.route("**/categories/1*", (route) => route.fulfill({ json: RECORDS[0] }));
  return opened;
}

test("a list of 200 columns and 100 rows has the columns near its visible part", async () => {
  const { page, context, mistakes } = await openWide();
  await logIn(page);
  const names = ["name", ...FIELDS.map(({ name }) => name)];
  await page.evaluate((names) => localStorage.setItem("crud-admin.columns./categories", JSON.stringify(names)), names);
  await go(page, "/categories?limit=100");
  await page.getByRole("link", { name: "Row 99" }).waitFor({ state: "attached" });
  assert.ok((await nodes(page)) < 12_000, `${await nodes(page)} nodes, and all columns would be 61,000`);
  assert.equal(await page.getByRole("columnheader", { name: "Field 199" }).count(), 0);
  assert.deepEqual(await violations(page), []);
  await page.locator(".scroller").evaluate((scroller) => { scroller.scrollLeft = scroller.scrollWidth; });
  await page.getByRole("columnheader", { name: "Field 199" }).waitFor();
  const isInView = (name) => page.getByText(name, { exact: true }).first().evaluate((cell) => {
    const { left, right } = cell.getBoundingClientRect();
    return left >= 0 && right <= innerWidth;
  });
  assert.ok(await isInView("Row 0"), "the name stays in sight");
  assert.ok(await isInView("Field 199"), "the last column is where it belongs");
  assert.ok((await nodes(page)) < 12_000, `${await nodes(page)} nodes`);
  assert.deepEqual(mistakes, []);
  await context.close();
});

test("a form of 200 fields takes each letter", async () => {
  const { page, context } = await openWide();
  await logIn(page);
  await go(page, "/categories/1");
  const field = page.locator('[name="f196"]');
  await field.fill("");
  await field.pressSequentially("the quick brown fox");
  assert.equal(await field.inputValue(), "the quick brown fox");
  await page.getByText("1 field changed").waitFor();
  await context.close();
});

test("the 500 orders of a product are ten at a time", async () => {
  const product = (await api("POST", "/products", { name: "Asked for", price: 1, stock: 1, category_id: 1 })).value;
  for (let first = 0; first < 500; first += 100) {
    const items = Array.from({ length: 100 }, (_, index) => ({
      order_number: `asked-${first + index}`, product_id: product.id, total_price: first + index,
    }));
    assert.equal((await api("POST", "/orders/batch", { items })).status, 200);
  }
  const { page, context, mistakes } = await open(browser, shop.url);
  await logIn(page);
  const asked = [];
  page.on("request", (request) => request.url().includes("/orders?product_id") && asked.push(request.url()));
  await go(page, `/products/${product.id}`);
  const orders = page.getByRole("region", { name: "Orders", exact: true });
  await orders.getByText("500", { exact: true }).waitFor();
  assert.equal(await orders.locator("tbody tr").count(), 10);
  assert.equal(asked.length, 1, asked.join(" "));
  await orders.getByRole("button", { name: "Next orders" }).click();
  await orders.getByText("11–20").waitFor();
  assert.equal(await orders.locator("tbody tr").count(), 10);
  assert.ok((await nodes(page)) < 1_500);
  assert.deepEqual(mistakes, []);
  await context.close();
});

test("a reload of a list of 10,000 products asks for eight things, and for no record twice", async () => {
  const { page, context } = await open(browser, shop.url);
  await logIn(page);
  await go(page, "/products");
  await page.locator("tbody tr").first().waitFor();
  const asked = [];
  const began = Date.now();
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.reload();
  await page.locator("tbody tr").nth(19).waitFor();
  const files = asked.filter((path) => /\.(js|css|svg|ico)$/.test(path));
  // The pictures of the rows that are in sight come after the list.
  const isPicture = (path) => /\/photo$/.test(path) || path.startsWith("http");
  const others = asked.filter((path) => !files.includes(path) && !isPicture(path));
  assert.deepEqual(others.sort(), ["/admin", "/admin/schema", "/admin/session/refresh", "/auth/users/1", "/products"]);
  if (!process.env.ASSETS) assert.ok(files.length <= 6, files.join(" "));
  console.log(`# reload to a filled list: ${Date.now() - began} ms`);
  await context.close();
});
