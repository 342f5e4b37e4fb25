// A record that has been changed often: its history is some at a time, and then the log's.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { PASSWORD, go, launch, logIn, open, start, violations } from "./support.mjs";

let shop, browser, api;

before(async () => {
  const env = { SHOP_ADMIN_PASSWORD: PASSWORD };
  shop = await start(process.env.SHOP, { seed: ["seed", "20"], args: ["--auth"], env });
  api = await shop.client();
  for (let stock = 1000; stock < 1110; stock++) {
    assert.equal((await api("PATCH", "/products/7", { stock })).status, 200);
  }
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await shop?.stop();
});

test("a long history is shown in steps, and then in the log", async () => {
  const { page, context, mistakes } = await open(browser, shop.url);
  await logIn(page);
  await go(page, "/products/7");
  const entries = page.locator(".history .timeline > li");
  await entries.nth(19).waitFor();
  for (let shown = 20; shown < 100; shown += 20) {
    await page.getByRole("button", { name: "Older changes" }).click();
    await entries.nth(shown + 19).waitFor();
  }
  await page.getByRole("link", { name: "All changes in the log" }).click();
  await page.getByRole("heading", { level: 1, name: /^Log/ }).waitFor();
  // Its create, its photo, and the changes above.
  await page.getByText("112", { exact: true }).first().waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByRole("button", { name: "Show all records" }).click();
  await page.waitForURL(/entity_type=Product$/);
  assert.deepEqual(mistakes, []);
  await context.close();
});
