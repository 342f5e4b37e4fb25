import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { preview } from "vite";
import type { PreviewServer } from "vite";

import { shopProvider } from "./support.js";

const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
const example = fileURLToPath(new URL("../../example", import.meta.url));
const picture = fileURLToPath(new URL("../../../docs/src/guide/admin.png", import.meta.url));
const docsPicture = fileURLToPath(new URL("../../../docs/swagger-ui.png", import.meta.url));

let server: PreviewServer;
let browser: Browser;
let page: Page;
const mistakes: string[] = [];

// The tests are the steps of one visit.
const step = test.skipIf(!existsSync(executablePath));

beforeAll(async () => {
  if (!existsSync(executablePath)) return;
  // In another process: with vitest's NODE_ENV, the page would have React's build for development.
  const env = { PATH: process.env.PATH, NODE_ENV: "production" };
  execFileSync("npm", ["run", "build", "--workspace", "shop-admin"], { cwd: dirname(example), env, stdio: "pipe" });
  process.env.SHOP_URL = inject("shop");
  server = await preview({ root: example, logLevel: "error", preview: { port: 0, host: "127.0.0.1" } });
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  page = await browser.newPage({ viewport: { width: 1200, height: 600 } });
  page.setDefaultTimeout(15_000);
  page.on("pageerror", (error) => mistakes.push(String(error)));
  const { provider } = await shopProvider();
  await provider.create("products", { data: { name: "Zebra Lamp", price: 49.5, stock: 12, category_id: 20 } });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

// Of one that failed, the others would only wait.
let failed = false;
beforeEach(({ skip }) => skip(failed, "an earlier step failed"));
afterEach(({ task }) => {
  failed ||= task.result?.state === "fail";
});

const row = () => page.getByRole("row").filter({ hasText: "Zebra Lamp" });
const list = () => page.locator("tbody tr");

async function search(words: string) {
  await page.getByLabel("Search").fill(words);
}

step("a wrong password is refused, and the right one opens the list", async () => {
  await page.goto(server.resolvedUrls!.local[0]!);
  await page.getByLabel("Username").fill("admin");
  await page.getByRole("textbox", { name: "Password" }).fill("wrong horse");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("invalid credentials").waitFor();
  await page.getByRole("textbox", { name: "Password" }).fill(inject("password"));
  await page.getByRole("button", { name: "Sign in" }).click();
  await row().getByText("Lighting").waitFor();
  expect(await list().count()).toBe(10);
});

step("the list is filtered", async () => {
  await search("lamp");
  await page.getByLabel("Price from").fill("200");
  await page.waitForURL(/price__gte/);
  await row().waitFor({ state: "detached" });
  await page.getByRole("cell", { name: "Lighting" }).first().waitFor();
  await page.getByText("invalid credentials").waitFor({ state: "detached" });
  const image = await page.screenshot(process.env.SCREENSHOT ? { path: picture } : {});
  expect(image.byteLength).toBeLessThan(200_000);
  await page.getByLabel("Price from").fill("");
  await search("zebra");
  await expect.poll(() => list().count()).toBe(1);
});

step("an invalid price is an error at its field, and nothing is saved", async () => {
  await row().click();
  await page.locator("input[name=price]").fill("-1");
  await page.getByRole("button", { name: "Save" }).click();
  const field = page.locator(".ra-input-price");
  await field.getByText("must be at least 0").waitFor();
  expect(await page.locator(".ra-input-stock").getByText("must be").count()).toBe(0);
});

step("a valid one is saved", async () => {
  await page.locator("input[name=price]").fill("55.25");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Element updated").waitFor();
  await row().getByText("55.25").waitFor();
});

step("a deleted product is gone from the list, and is restored from the deleted ones", async () => {
  await row().click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("Element deleted").waitFor();
  await expect.poll(() => list().count()).toBe(0);
  await page.getByLabel("Deleted").check();
  await row().getByRole("button", { name: "Restore" }).click();
  await expect.poll(() => list().count()).toBe(0);
  await page.getByLabel("Deleted").uncheck();
  await row().getByText("55.25").waitFor();
});

step("pages that react-admin guesses have their references", async () => {
  await page.getByRole("menuitem", { name: "Categories" }).click();
  await page.getByText("1-10 of 40").waitFor();
  await page.getByRole("menuitem", { name: "Orders" }).click();
  await page.getByText("1-10 of").waitFor();
  await expect.poll(() => page.locator("tbody a[href*='/products/']").count()).toBe(10);
});

step("after a logout the page asks for a login", async () => {
  await page.getByRole("button", { name: "Profile" }).click();
  await page.getByText("Logout").click();
  await page.getByLabel("Username").waitFor();
  await page.reload();
  await page.getByLabel("Username").waitFor();
});

step("the service's own page logs in by name and password, and folds filters and errors", async () => {
  const docs = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  docs.setDefaultTimeout(15_000);
  docs.on("pageerror", (error) => mistakes.push(String(error)));
  await docs.goto(`${inject("shop")}/docs`);
  await docs.locator("input[name=username]").waitFor();
  await docs.locator('[data-path="/products"]').first().waitFor();
  const image = await docs.screenshot(process.env.SCREENSHOT ? { path: docsPicture } : {});
  expect(image.byteLength).toBeLessThan(200_000);
  const logIn = async (password: string, said: string) => {
    await docs.locator("input[name=username]").fill("admin");
    await docs.locator("input[name=password]").fill(password);
    await docs.locator("form:has(input[name=username]) button").click();
    await docs.getByRole("status").filter({ hasText: said }).waitFor();
  };
  await logIn("wrong horse", "invalid credentials");
  await logIn(inject("password"), "logged in as admin");

  const operation = (path: string) => docs.locator(".opblock-get", { has: docs.locator(`[data-path="${path}"]`) });
  await operation("/profile").locator(".opblock-summary-control").click();
  await operation("/profile").getByRole("button", { name: "Execute" }).click();
  await operation("/profile").locator(".live-responses-table").getByText("200", { exact: true }).waitFor();

  const products = operation("/products");
  await products.locator(".opblock-summary-control").click();
  const filter = products.locator('tr[data-param-name="price__gt"]');
  await products.getByRole("button", { name: /^Show \d+ filters$/ }).waitFor();
  expect(await filter.count()).toBe(0);
  await products.getByRole("button", { name: /^Show \d+ filters$/ }).click();
  await filter.waitFor();
  await products.getByRole("button", { name: /^Show the errors: / }).click();
  await products.getByRole("button", { name: "Hide the errors" }).waitFor();
  await docs.close();
});

step("the page made no mistakes", () => {
  expect(mistakes).toEqual([]);
});
