// Values that would run in a page that makes markup of them: nothing runs, under the policy and without it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { PASSWORD, go, launch, logIn, open, start, takeFiles, violations } from "./support.mjs";

const CORPUS = [
  "<script>window.ran=1</script>", "<img src=x onerror=window.ran=1>", "<svg/onload=window.ran=1>",
  "\"><script>window.ran=1</script>",
  "'-window.ran-'", "javascript:window.ran=1", "${window.ran=1}", "{{constructor.constructor('window.ran=1')()}}",
  "<iframe srcdoc='<script>parent.ran=1</script>'>",
  "</textarea><script>window.ran=1</script>", "&lt;img src=x onerror=window.ran=1&gt;",
  "<a href=javascript:window.ran=1>x</a>", "%3Cscript%3Ewindow.ran=1%3C/script%3E",
];
const LONG = "9".repeat(60) + " مرحبا بالعالم ".repeat(8);

let shop, browser, api;

before(async () => {
  shop = await start(process.env.SHOP,
    { seed: ["seed", "20"], args: ["--auth"], env: { SHOP_ADMIN_PASSWORD: PASSWORD } });
  api = await shop.client();
  for (const [index, text] of [...CORPUS, LONG].entries()) {
    const category = await api("POST", "/categories", { name: text.slice(0, 250), description: text });
    assert.equal(category.status, 201, JSON.stringify(category.value));
    const product = await api("POST", "/products",
      { name: text.slice(0, 200), description: text + text, price: 1, stock: 1, category_id: category.value.id });
    assert.equal(product.status, 201);
    assert.equal((await api("PATCH", `/products/${product.value.id}`, { description: `${text} again` })).status, 200);
    assert.equal(
      (await api("POST", "/orders",
        { order_number: `${text.slice(0, 200)} ${index}`, product_id: product.value.id, total_price: 1 })).status, 201);
  }
  const long = await api("POST", "/products",
    { name: "long", description: "x".repeat(10_000), price: 1, stock: 1, category_id: 1 });
  assert.equal(long.status, 201);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await shop?.stop();
});

for (const hasPolicy of [true, false]) {
  test(`stored text runs nothing ${hasPolicy ? "under the policy" : "without the policy"}`, async () => {
    const context = await browser.newContext();
    if (!hasPolicy) {
      await context.route("**/admin", async (route) => {
        const response = await route.fetch();
        const headers = { ...response.headers() };
        delete headers["content-security-policy"];
        await route.fulfill({ response, headers });
      });
    }
    const page = await context.newPage();
    const mistakes = [];
    page.on("pageerror", (error) => mistakes.push(String(error)));
    page.on("dialog", (dialog) => { mistakes.push(dialog.message()); dialog.dismiss(); });
    await takeFiles(page, shop.url);
    await page.goto(`${shop.url}/admin`);
    await logIn(page);
    const newest = async (path) =>
      (await api("GET", `${path}?limit=100&sort=-id`)).value.data.slice(0, CORPUS.length + 2);
    const records = await Promise.all(["/products", "/categories", "/orders"].map(async (path) =>
      (await newest(path)).map(({ id }) => `${path}/${id}`)));
    const lists = ["/categories?limit=100&sort=-id", "/products?limit=100&sort=-id",
      "/orders?limit=100&sort=-created_at"];
    const places = ["/", ...lists, "/~log", ...records.flat()];
    for (const place of places) {
      await go(page, place);
      await page.waitForLoadState("networkidle");
      await page.waitForFunction(() => document.querySelector("h1") && !document.querySelector(".skeleton, .stale"));
      assert.equal(await page.evaluate(() => window.ran), undefined, place);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true,
        `${place} is not wider than the screen`);
    }
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Go to" }).getByRole("combobox").waitFor();
    await page.keyboard.type("script");
    await page.getByRole("dialog", { name: "Go to" }).getByRole("combobox").waitFor();
    await page.waitForTimeout(600);
    assert.equal(await page.evaluate(() => window.ran), undefined);
    assert.deepEqual(mistakes, []);
    await context.close();
  });
}

test("a role without an operation has no button for it", async () => {
  const { page, context } = await open(browser, shop.url);
  await page.route("**/admin/schema", async (route) => {
    const response = await route.fetch();
    const schema = await response.json();
    for (const resource of schema.resources) resource.can = resource.can.filter((name) =>
      ["list", "get", "history"].includes(name));
    await route.fulfill({ response, json: schema });
  });
  await logIn(page);
  await go(page, "/products");
  await page.locator("tbody tr").first().waitFor();
  assert.equal(await page.getByRole("link", { name: "New" }).count() + await page.getByRole("checkbox").count(), 0);
  await go(page, "/products/7");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByText("The number of pieces", { exact: false }).waitFor({ state: "detached" });
  assert.equal(await page.getByRole("button", { name: /Delete|Save|Restore/ }).count(), 0);
  assert.deepEqual(await violations(page), []);
  await context.close();
});

test("the keyboard alone finds, changes and saves a record", async () => {
  const { page, context, mistakes } = await open(browser, shop.url);
  await page.waitForFunction(() => document.activeElement?.name === "username");
  await page.keyboard.type("admin");
  await page.keyboard.press("Tab");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("navigation", { name: "Pages of the service" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Go to" }).getByRole("combobox").waitFor();
  await page.keyboard.type("products");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: /^Products/ }).waitFor();
  await page.keyboard.press("/");
  // The list before the search has the link too, and its own place for the focus.
  const searched = page.waitForResponse((answer) => answer.url().includes("long"));
  await page.keyboard.type("long");
  await searched;
  await page.getByRole("link", { name: "long", exact: true }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  for (let step = 0; step < 40 && (await focused()) !== "long"; step++) await page.keyboard.press("Tab");
  assert.equal(await focused(), "long");
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(outline, "none", "the focus is visible");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "long" }).waitFor();
  await page.getByLabel("Stock").focus();
  await page.keyboard.type("5");
  await page.keyboard.press("Control+s");
  await page.getByRole("status").getByText("Saved").waitFor();
  assert.deepEqual(mistakes, []);
  await context.close();
});
