// Webhooks on the admin page, which knows nothing of them: made, the secret shown once, a test, deliveries, sent again.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { PASSWORD, go, launch, logIn, open, start, violations } from "./support.mjs";

let service, browser, page, mistakes, secret;
const received = [];
let status = 204;
const receiver = createServer((request, answer) => {
  let body = "";
  request.on("data", (chunk) => { body += chunk; });
  request.on("end", () => {
    received.push({ body, headers: request.headers });
    answer.writeHead(status).end(status === 204 ? undefined : "out of paper");
  });
});

before(async () => {
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${receiver.address().port}`;
  service = await start(process.env.HOOKS, { env: { ADMIN_PASSWORD: PASSWORD, HOOKS_TO: host } });
  browser = await launch();
  ({ page, mistakes } = await open(browser, service.url));
  await logIn(page);
});

after(async () => {
  await browser?.close();
  await service?.stop();
  receiver.close();
  assert.deepEqual(mistakes, [], "errors, refused loads and requests elsewhere");
});

const signature = (key, { body, headers }) =>
  createHmac("sha256", Buffer.from(key.slice("whsec_".length), "base64"))
    .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`).digest("base64");
const shot = (name) => process.env.SHOTS && page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });

test("a webhook is made, and its secret is shown once", async () => {
  await go(page, "/webhooks/new");
  await page.getByRole("heading", { level: 1, name: "New webhook" }).waitFor();
  await page.getByLabel("Url").fill(`http://127.0.0.1:${receiver.address().port}/hook`);
  await page.getByLabel("Types").fill("product.*");
  await page.getByLabel("Types").press("Enter");
  await page.getByRole("button", { name: "Create" }).click();
  const shown = page.getByRole("dialog", { name: "Secret" });
  secret = await shown.getByText(/^whsec_/).innerText();
  await shot("webhook-secret");
  assert.deepEqual(await violations(page), []);
  await shown.getByRole("button", { name: "Copied" }).click();
  await page.reload();
  await page.getByRole("button", { name: "Rotate secret" }).waitFor();
  assert.ok(!(await page.content()).includes(secret), "the page does not keep it");
});

test("a test is sent and its delivery shown", async () => {
  await page.getByRole("button", { name: "Send test" }).click();
  await page.getByRole("region", { name: "Deliveries" }).getByRole("row", { name: /webhook\.test/ }).waitFor();
  const deadline = Date.now() + 60_000;
  while (received.length === 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(received.length, 1);
  assert.equal(received[0].headers["webhook-signature"], `v1,${signature(secret, received[0])}`);
  await page.reload();
  await page.getByRole("row", { name: /webhook\.test/ }).getByText("delivered").waitFor();
  await shot("webhook");
  assert.deepEqual(await violations(page), []);
});

test("a delivery that failed has the reason, and is sent again", async () => {
  status = 500;
  await page.getByRole("button", { name: "Send test" }).click();
  while (received.length < 2) await new Promise((resolve) => setTimeout(resolve, 50));
  await page.reload();
  await page.getByRole("row", { name: /pending/i }).first().getByRole("link").first().click();
  await page.getByText("expected a status of 200 to 299, found 500").waitFor();
  await page.getByText("out of paper").waitFor();
  await shot("webhook-delivery");
  assert.deepEqual(await violations(page), []);
  status = 204;
  while (received.length < 3) await new Promise((resolve) => setTimeout(resolve, 100));
  await page.reload();
  await page.getByText("Delivered", { exact: true }).first().waitFor();
  await page.getByRole("button", { name: "Send again" }).click();
  while (received.length < 4) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(received[3].headers["webhook-id"], received[2].headers["webhook-id"]);
});

test("a new secret is shown once", async () => {
  await go(page, "/webhooks/1");
  await page.getByRole("button", { name: "Rotate secret" }).click();
  const shown = page.getByRole("dialog", { name: "Secret" });
  const next = await shown.getByText(/^whsec_/).innerText();
  assert.notEqual(next, secret);
  await shown.getByRole("button", { name: "Copied" }).click();
});
