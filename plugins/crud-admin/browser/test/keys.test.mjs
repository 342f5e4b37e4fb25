// API keys in a service that has them: made, shown once, used by a program, revoked.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { PASSWORD, go, launch, logIn, open, start, violations } from "./support.mjs";

let service, browser, page, mistakes, key;

before(async () => {
  service = await start(process.env.KEYS, { env: { ADMIN_PASSWORD: PASSWORD } });
  browser = await launch();
  const permissions = ["clipboard-read", "clipboard-write"];
  ({ page, mistakes } = await open(browser, service.url, { permissions }));
  await logIn(page);
});

after(async () => {
  await browser?.close();
  await service?.stop();
  assert.deepEqual(mistakes, [], "errors, refused loads and requests elsewhere");
});

const note = (text) => page.getByRole("status").getByText(text, { exact: true }).last();
const parts = () => fetch(`${service.url}/parts`, { headers: { authorization: `Bearer ${key}` } });

test("a key is made with some of one's own roles, shown once and copied", async () => {
  await page.getByRole("link", { name: "API keys" }).click();
  await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
  await page.getByText("No key yet").waitFor();
  await page.getByRole("button", { name: "New" }).click();
  const form = page.getByRole("dialog", { name: "New API key" });
  await form.getByLabel("Name").fill("ci server");
  await form.getByRole("button", { name: "editor" }).click();
  await form.getByRole("button", { name: "Make the key" }).click();
  await form.getByText(/letters, digits/).first().waitFor();
  await form.getByLabel("Name").fill("ci-server");
  await form.getByRole("button", { name: "Make the key" }).click();
  const shown = page.getByRole("dialog", { name: "API key ci-server" });
  key = await shown.getByLabel("The key").innerText();
  assert.match(key, /^ck_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
  await shown.getByRole("button", { name: "Copy" }).click();
  await note("The key is copied").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), key);
  assert.deepEqual(await violations(page), []);
  await shown.getByRole("button", { name: "Done" }).click();
  await page.getByRole("row", { name: /ci-server/ }).getByText("editor").waitFor();
  assert.ok(!(await page.content()).includes(key), "the page does not keep it");
});

test("a program uses the key until it is revoked", async () => {
  assert.equal((await parts()).status, 200);
  await go(page, "/~keys");
  await page.reload();
  await page.getByRole("row", { name: /ci-server/ }).getByText(/now|second/).first().waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByRole("button", { name: "Revoke ci-server" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await note("ci-server is revoked").waitFor();
  assert.equal((await parts()).status, 401);
  await page.getByText("No key yet").waitFor();
});
