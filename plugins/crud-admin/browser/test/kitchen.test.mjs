// A service with every type of field and key, without logins: each page opens, and values stay exact.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { go, launch, open, start, violations } from "./support.mjs";

let kitchen, browser, page, mistakes, schema;

const get = async (path) => (await fetch(kitchen.url + path)).json();
const post = (path, body) =>
  fetch(kitchen.url + path, { method: "POST", headers: { "content-type": "application/json" }, body });

before(async () => {
  kitchen = await start(process.env.KITCHEN,
    { env: { WITH_ADMIN: "1", DATABASE_URL: undefined, JWT_SECRET_KEY: undefined } });
  schema = await get("/admin/schema");
  browser = await launch();
  ({ page, mistakes } = await open(browser, kitchen.url));
  await page.getByRole("navigation", { name: "Pages of the service" }).waitFor();
});

after(async () => {
  await browser?.close();
  await kitchen?.stop();
  assert.deepEqual(mistakes, [], "errors, refused loads and requests elsewhere");
});

async function shown() {
  await page.waitForLoadState("networkidle");
  await page.waitForFunction(() => document.querySelector("h1") && !document.querySelector(".skeleton, .stale"));
}

test("the list and the form of each resource open, and are accessible", async () => {
  assert.ok(schema.resources.length > 20);
  for (const { path, can } of schema.resources) {
    await go(page, path);
    await shown();
    assert.deepEqual(await violations(page), [], path);
    assert.equal(await page.getByText("This could not be loaded").count(), 0, path);
    if (!can.includes("create")) continue;
    await go(page, `${path}/new`);
    await shown();
    assert.deepEqual(await violations(page), [], `${path}/new`);
  }
});

test("values of each type stay exact when another one is changed", async () => {
  const body = `{"flag":true,"small":-5,"large":9007199254740993,"double":0.1,"text":"a\\nb",
    "instant":"2026-01-02T03:04:05.123456Z","day":"2026-01-02","time":"03:04:05.123456",
    "local":"2026-01-02T03:04:05.123456","decimal":"1.500","json":{"n":9007199254740993,"t":"x"},
    "bytes":"PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIj4=","texts":["a","b"]}`;
  const created = await post("/sparse", body);
  assert.equal(created.status, 201, await created.clone().text());
  const path = created.headers.get("location");
  const before = await (await fetch(kitchen.url + path)).text();
  await go(page, path);
  await shown();
  const input = (name) => page.locator(`[name="${name}"]`);
  assert.equal(await input("large").inputValue(), "9007199254740993");
  assert.equal(await input("instant").inputValue(), "2026-01-02T04:04:05", "in the reader's zone");
  assert.equal(await page.locator("img").count(), 0, "bytes that are an SVG are no picture");
  assert.deepEqual(await violations(page), []);
  await input("large").fill("9007199254740995");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").getByText("Saved").waitFor();
  const after = await (await fetch(kitchen.url + path)).text();
  assert.equal(after, before.replace('"large":9007199254740993', '"large":9007199254740995'));
});

test("a URL is a link where it is one of the web", async () => {
  const urls = ["javascript:window.ran=1", "data:text/html,1", "https://example.com/a"];
  for (const url of urls) assert.equal((await post("/checked", JSON.stringify({ url }))).status, 201, url);
  await page.evaluate(() => localStorage.setItem("crud-admin.columns./checked", '["id","url"]'));
  await go(page, "/checked");
  for (const url of urls) await page.getByRole("cell", { name: url }).waitFor();
  const links = await page.locator('td[data-label="Url"] a')
    .evaluateAll((links) => links.map(({ href, rel }) => [href, rel]));
  assert.deepEqual(links, [["https://example.com/a", "noopener noreferrer"]]);
});

test("an instant is saved in UTC, and JSON as it is typed", async () => {
  const path = (await post("/sparse", "{}")).headers.get("location");
  await go(page, path);
  await shown();
  await page.locator('[name="instant"]').fill("2026-07-01T12:00:00");
  await page.locator('[name="json"]').fill('{"big": 9007199254740993}');
  await page.locator('[name="small"]').fill("x");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("must be").first().waitFor();
  assert.equal(await page.locator('[name="small"]').getAttribute("aria-invalid"), "true");
  await page.locator('[name="small"]').fill("7");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
  const text = await (await fetch(kitchen.url + path)).text();
  assert.match(text, /"instant":"2026-07-01T10:00:00.000000Z"/);
  assert.match(text, /"big":\s*9007199254740993/);
});
