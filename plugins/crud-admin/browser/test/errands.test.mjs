// The errands of a person in support, in the shop: the tests are the steps of one visit.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { PASSWORD, go, launch, logIn, open, start, violations } from "./support.mjs";

let shop, browser, page, context, mistakes, api;

before(async () => {
  shop = await start(process.env.SHOP,
    { seed: ["seed", "10000"], args: ["--auth"], env: { SHOP_ADMIN_PASSWORD: PASSWORD } });
  api = await shop.client();
  browser = await launch();
  ({ page, context, mistakes } = await open(browser, shop.url));
});

after(async () => {
  await browser?.close();
  await shop?.stop();
  assert.deepEqual(mistakes, [], "errors, refused loads and requests elsewhere");
});

const heading = (name) => page.getByRole("heading", { level: 1, name });
const note = (text) => page.getByRole("status").getByText(text, { exact: true }).last();

test("a wrong password is refused, and the right one opens the page", async () => {
  await page.getByLabel("Name").fill("admin");
  await page.getByLabel("Password").fill("wrong horse");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("alert").getByText(/invalid/).waitFor();
  await logIn(page);
  await heading("Shop API").waitFor();
});

test("a reload keeps the session, of which no script sees the cookie", async () => {
  await page.reload();
  await heading("Shop API").waitFor();
  assert.equal(await page.evaluate(() => document.cookie + JSON.stringify({ ...sessionStorage, ...localStorage })),
    "{}");
  const cookies = await context.cookies(`${shop.url}/admin/session/refresh`);
  assert.deepEqual(cookies.map(({ httpOnly, path, sameSite }) => [httpOnly, path, sameSite]),
    [[true, "/", "Strict"]]);
});

test("errand 1: an order is found by a word", async () => {
  await page.getByRole("link", { name: "Orders", exact: true }).first().click();
  await heading(/^Orders/).waitFor();
  const first = await page.locator("tbody tr .name").first().innerText();
  await page.getByRole("searchbox", { name: "Search orders" }).fill(first);
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
  assert.match(page.url(), /#\/orders\?q=/, "the list is in the page's URL");
  await page.locator("tbody tr .name").click();
  await heading(first).waitFor();
});

test("errand 2: the order is changed, and errors are at their fields", async () => {
  const price = page.getByLabel("Total price");
  await price.fill("a lot");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("must be a number").waitFor();
  assert.equal(await price.getAttribute("aria-invalid"), "true");
  await price.fill("42.5");
  await page.getByLabel("Status").selectOption("paid");
  await page.getByRole("button", { name: "Save" }).click();
  await note("Saved").waitFor();
  await page.locator(".head").getByText("Paid").waitFor();
});

test("errand 3: the history says who changed it before, newest first", async () => {
  const entries = page.locator(".timeline > li");
  await entries.first().getByText("by admin").waitFor();
  await entries.first().getByText("42.5").waitFor();
  await entries.last().getByText("the program").waitFor();
});

test("an older version is viewed and restored", async () => {
  await page.locator(".timeline > li").last().getByRole("button", { name: "View this version" }).click();
  const dialog = page.getByRole("dialog", { name: "The record at that time" });
  await dialog.getByText("differs").first().waitFor();
  await dialog.getByRole("button", { name: "Restore this version" }).click();
  await note("This version is restored").waitFor();
  await page.waitForFunction(() => document.querySelectorAll(".timeline > li").length === 3);
});

test("a change that another person made meanwhile is shown beside one's own", async () => {
  const id = decodeURIComponent(page.url().split("/").pop());
  await page.getByLabel("Total price").fill("10");
  assert.equal((await api("PATCH", `/orders/${id}`, { total_price: 20 })).status, 200);
  await page.getByRole("button", { name: "Save" }).click();
  const dialog = page.getByRole("dialog", { name: "This record has changed meanwhile" });
  await dialog.getByText("20", { exact: true }).waitFor();
  assert.deepEqual(await violations(page), []);
  await dialog.getByRole("button", { name: "Save my choice" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).waitFor({ state: "detached" });
  assert.equal((await api("GET", `/orders/${id}`)).value.total_price, 10);
});

test("errand 4: a delete is undone", async () => {
  const title = await page.getByRole("heading", { level: 1 }).locator("bdi").innerText();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await note(`${title} is deleted`).waitFor();
  await page.getByRole("button", { name: "Deleted" }).click();
  await page.getByRole("link", { name: title }).click();
  await page.getByRole("button", { name: "Restore" }).click();
  await note("Restored").waitFor();
  await page.getByRole("button", { name: "Delete" }).waitFor();
});

test("errand 5: a user is blocked, and cannot log in", async () => {
  await go(page, "/~users/new");
  await page.getByLabel("Name", { exact: true }).fill("mallory");
  await page.getByLabel("Password").fill("a password of hers");
  await page.getByRole("button", { name: "Create" }).click();
  await heading(/mallory/).waitFor();
  const login = () => fetch(`${shop.url}/auth/login`, {
    method: "POST", headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "mallory", password: "a password of hers" }),
  });
  assert.equal((await login()).status, 200);
  await page.getByRole("button", { name: "Block" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Block" }).click();
  await page.getByRole("button", { name: "Unblock" }).waitFor();
  assert.equal((await login()).status, 401);
});

test("a list is filtered, sorted and paged in its URL", async () => {
  await go(page, "/products");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.locator(".popover").getByRole("button", { name: "Price", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Filter by price" });
  await dialog.getByRole("combobox").selectOption("gte");
  await dialog.getByLabel("Value").fill("500");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await page.waitForURL(/price__gte=500/);
  await page.getByRole("columnheader", { name: "Price" }).getByRole("button").click();
  await page.waitForURL(/sort=price/);
  await page.getByRole("button", { name: "Next page" }).click();
  await page.waitForURL(/skip=20/);
  const prices = page.locator('td[data-label="Price"]');
  await page.waitForFunction(() => !document.querySelector("table.stale"));
  const numbers = (await prices.allInnerTexts()).map((text) => Number(text.replaceAll(",", "")));
  assert.deepEqual(numbers, [...numbers].sort((a, b) => a - b));
  assert.ok(numbers.every((price) => price >= 500));
});

test("several records are changed, and deleted", async () => {
  await go(page, "/products?q=keyboard&sort=id");
  await page.waitForFunction(() => location.hash.includes("keyboard") && !document.querySelector("table.stale")
    && document.querySelectorAll("tbody tr").length > 2);
  const boxes = page.locator("tbody .box input");
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  const names = (await page.locator("tbody tr .name").allInnerTexts()).slice(0, 2);
  await page.getByRole("button", { name: "Set a field" }).click();
  const dialog = page.getByRole("dialog", { name: "Set a field of 2 records" });
  await dialog.getByLabel("Field").selectOption("stock");
  await dialog.getByLabel("New value").fill("777");
  await dialog.getByRole("button", { name: "Change 2 records" }).click();
  await note("2 records changed").waitFor();
  await page.getByRole("row", { name: new RegExp(names[0]) }).getByText("777").waitFor();
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await page.getByRole("toolbar").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await note("2 records deleted").waitFor();
});

test("a record is created with a reference that is searched", async () => {
  await go(page, "/products/new");
  await page.getByLabel("Name").fill("Zebra Lamp");
  await page.getByLabel("Price").fill("49.5");
  await page.getByLabel("Stock").fill("12");
  await page.getByLabel("Category").fill("light");
  await page.getByRole("option", { name: /Lighting/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Create" }).click();
  await heading("Zebra Lamp").waitFor();
  assert.equal((await api("GET", "/products?name=Zebra%20Lamp")).value.total, 1);
});

test("a file is checked, imported, and its wrong lines are named", async () => {
  await go(page, "/products");
  await page.getByRole("button", { name: "Import" }).click();
  const dialog = page.getByRole("dialog", { name: "Import products" });
  const file = (text) => dialog.getByLabel("File")
    .setInputFiles({ name: "products.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await file("name,price,stock,category_id\nA,-1,1,1\nB,2,x,1\n");
  await dialog.getByRole("button", { name: "Check only" }).click();
  await dialog.getByRole("cell", { name: "price" }).waitFor();
  await dialog.getByRole("cell", { name: "stock" }).waitFor();
  await file("name,price,stock,category_id\nImported lamp,1,1,1\n");
  await dialog.getByRole("button", { name: "Import" }).click();
  await note("1 records imported").waitFor();
});

test("an export is a file of what the list finds", async () => {
  await go(page, "/products?name=Imported%20lamp");
  await page.getByRole("link", { name: "Imported lamp" }).waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  const download = await saved;
  assert.equal(download.suggestedFilename(), "products.csv");
});

test("columns that are chosen stay chosen", async () => {
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("checkbox", { name: "Description" }).check();
  await page.getByRole("columnheader", { name: "Description" }).waitFor();
  await page.reload();
  await page.getByRole("columnheader", { name: "Description" }).waitFor();
});

test("the palette goes to a record by the keyboard alone", async () => {
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Go to" }).getByRole("combobox").waitFor();
  await page.keyboard.type("zebra lamp");
  await page.getByRole("option", { name: /Zebra Lamp/ }).waitFor();
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press("Enter");
  await heading("Zebra Lamp").waitFor();
});

test("a user without the page's role is told so", async () => {
  assert.equal(
    (await api("POST", "/auth/users", { username: "clerk", password: "a password of his", roles: ["clerk"] })).status,
    201);
  const other = await open(browser, shop.url);
  await logIn(other.page, "clerk", "a password of his").catch(() => {});
  await other.page.getByText("You may not see this").waitFor();
  await other.context.close();
});

test("the browser keeps the theme and the columns, and nothing else", async () => {
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Go to" }).getByRole("combobox").waitFor();
  await page.keyboard.type("theme: dark");
  await page.keyboard.press("Enter");
  const kept = await page.evaluate(async () => ({
    local: Object.keys(localStorage).sort(), session: Object.keys(sessionStorage), cookie: document.cookie,
    databases: await indexedDB.databases(), caches: await caches.keys(),
  }));
  const local = ["crud-admin.columns./products", "crud-admin.theme"];
  assert.deepEqual(kept, { local, session: [], cookie: "", databases: [], caches: [] });
});

for (const [width, height] of [[1440, 900], [1024, 768], [390, 844]]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`every page is accessible at ${width} pixels, ${colorScheme}`, async () => {
      const other = await open(browser, shop.url, { viewport: { width, height }, colorScheme });
      await logInNarrow(other.page);
      for (const place of ["/", "/products?price__gte=50", "/products/7", "/products/new", "/orders?only_deleted=true",
        "/~users", "/~users/1", "/~log"]) {
        await go(other.page, place);
        await other.page.waitForLoadState("networkidle");
        await other.page.waitForFunction(() => document.querySelector("h1")
          && !document.querySelector(".skeleton, .stale"));
        assert.deepEqual(await violations(other.page), [], place);
        assert.equal(await other.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true,
          `${place} is not wider than the screen`);
      }
      assert.deepEqual(other.mistakes, []);
      await other.context.close();
    });
  }
}

async function logInNarrow(page) {
  await page.getByLabel("Name").fill("admin");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { level: 1, name: "Shop API" }).waitFor();
  await page.locator(".tiles").waitFor();
}
