// The repair shop: tenants, transitions, jobs, and a view.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { PASSWORD, go, launch, logIn, open, start, violations } from "./support.mjs";

let repair, browser, page, mistakes, api;

before(async () => {
  // Mails cannot be written, so that their jobs fail.
  repair = await start(process.env.REPAIR, { env: { ADMIN_PASSWORD: PASSWORD, MAILBOX: "/nonexistent/mailbox" } });
  api = await repair.client();
  const customer = await api("POST", "/customers", { name: "Ada Lovelace", email: "ada@example.com" });
  assert.equal(customer.status, 201, JSON.stringify(customer.value));
  assert.equal(
    (await api("POST", "/devices", { customer_id: customer.value.id, model: "Engine", serial: "E1" })).status, 201);
  assert.equal((await api("POST", "/parts", { name: "Cog", price: "1.50", stock: 10 })).status, 201);
  browser = await launch();
  ({ page, mistakes } = await open(browser, repair.url));
  await logIn(page);
});

after(async () => {
  await browser?.close();
  await repair?.stop();
  assert.deepEqual(mistakes, [], "errors, refused loads and requests elsewhere");
});

const note = (text) => page.getByRole("status").getByText(text, { exact: true }).last();

test("a ticket is created for a customer and a device, without a field for its tenant", async () => {
  await go(page, "/tickets/new");
  assert.equal(await page.getByLabel("Shop", { exact: true }).count(), 0);
  await page.getByLabel("Customer", { exact: true }).fill("Ada");
  await page.getByRole("option", { name: /Ada Lovelace/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByLabel("Device", { exact: true }).click();
  await page.getByRole("option", { name: /E1/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByLabel("Problem").fill("It makes a noise");
  await page.getByLabel("Urgent").check();
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("must be set for an urgent ticket").waitFor();
  await page.getByLabel("Due").fill("2026-12-24");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: /Ticket 1/ }).waitFor();
});

test("the legal changes of its state are buttons", async () => {
  assert.equal(await page.getByRole("button", { name: "Finish" }).count(), 0);
  await page.getByRole("button", { name: "Start" }).click();
  await page.locator("h1").getByText("In progress").waitFor();
  assert.deepEqual(await violations(page), []);
});

test("a line is added from the ticket's page, and takes parts from the stock", async () => {
  await page.getByRole("region", { name: "Lines" }).getByRole("link", { name: "New" }).click();
  await page.getByLabel("Part", { exact: true }).fill("Cog");
  await page.getByRole("option", { name: /Cog/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByLabel("Quantity").fill("99");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("not enough in stock").waitFor();
  await page.getByLabel("Quantity").fill("3");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: /Line 1/ }).waitFor();
  assert.equal((await api("GET", "/parts/1")).value.stock, 7);
});

test("finishing writes the invoice, whose mail is a job that fails and is retried and cancelled", async () => {
  await go(page, "/tickets/1");
  await page.getByRole("button", { name: "Finish" }).click();
  await page.locator("h1").getByText("Done").waitFor();
  await page.getByRole("link", { name: "Jobs" }).click();
  const row = page.getByRole("row", { name: /mail/ });
  await page.waitForFunction(async () => {
    [...document.querySelectorAll("button")].find((button) => button.textContent === "Refresh")?.click();
    await new Promise((resolve) => setTimeout(resolve, 300));
    return document.body.textContent.includes("No such file");
  });
  await row.getByRole("button", { name: "Run now" }).click();
  await note(/^Job 1 is queued$/).waitFor();
  await page.waitForFunction(() => !document.querySelector(".stale"));
  const jobs = async () => (await api("GET", "/_service/jobs")).value.data;
  const isRunning = async () => (await jobs()).some(({ state }) => state === "running");
  for (let attempt = 0; attempt < 400 && (await isRunning()); attempt++) await page.waitForTimeout(100);
  await row.getByRole("button", { name: /Cancel job/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel the job" }).click();
  await page.getByText("No job waits").waitFor();
  assert.deepEqual(await violations(page), []);
});

test("a view is listed, and has no buttons that change it", async () => {
  await go(page, "/board");
  await page.getByRole("heading", { level: 1, name: /^Board/ }).waitFor();
  assert.equal(await page.getByRole("link", { name: "New" }).count(), 0);
});

test("decimals keep their digits", async () => {
  await go(page, "/parts/1");
  assert.equal(await page.getByLabel("Price").inputValue(), "1.50");
  await page.getByLabel("Price").fill("1234567890.12");
  await page.getByRole("button", { name: "Save" }).click();
  await note("Saved").waitFor();
  assert.equal((await api("GET", "/parts/1")).value.price, "1234567890.12");
});
