// The pages of crud-accounts: a person signs up, forgets the password, invites another, and has a second factor.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { launch, open, start, violations } from "./support.mjs";

const ADMIN = "admin@example.com";
const ANN = "ann@example.com";
const BOB = "bob@example.com";
const PASSWORD = "correct horse battery";

let browser, service;
/** The recovery codes of the administrator. */
let recovery = [];

before(async () => {
  browser = await launch();
  service = await start(process.env.PEOPLE, { env: { RUST_LOG: "info" } });
});

after(async () => {
  await browser.close();
  await service.stop();
});

const at = (path, options) => open(browser, service.url, { viewport: { width: 900, height: 700 }, ...options }, path);

/** Shows a page to people who look at it. */
async function shoot(page, name) {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`) });
  assert.deepEqual(await violations(page), [], name);
}

/** The link of the last mail to a page, which the service has written to its log. */
async function link(page, count = 1) {
  const pattern = new RegExp(`http://localhost:\\d+/account/${page}#[0-9a-f]{64}`, "g");
  for (let attempt = 0; attempt < 900; attempt++) {
    const links = service.log().match(pattern) ?? [];
    if (links.length >= count) return links.at(-1);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`there is no mail with a link to ${page}:\n${service.log()}`);
}

/** The code of an app now (RFC 6238). */
function code(secret, steps = 0) {
  const bits = [...secret.replaceAll(" ", "")]
    .map((digit) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(digit).toString(2).padStart(5, "0"));
  const key = Buffer.from(bits.join("").match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const mac = createHmac("sha1", key).update(counter).digest();
  const value = mac.readUInt32BE(mac.at(-1) & 15) & 0x7fffffff;
  return String(value % 1_000_000).padStart(6, "0");
}

async function signIn(page, email, password = PASSWORD) {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

test("a person signs up, and signs in", async () => {
  const { page, context, mistakes } = await at("/account/sign-up");
  await shoot(page, "sign-up");
  await page.getByLabel("Email").fill(ANN);
  await page.getByRole("button", { name: "Send the mail" }).click();
  await page.getByRole("heading", { name: "Check your mail" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Check your mail");
  await shoot(page, "sent");
  await page.goto(await link("verify"));
  await page.getByRole("heading", { name: "Choose your password" }).waitFor();
  assert.equal(new URL(page.url()).hash, "", "the token has left the address bar");
  await shoot(page, "verify");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Make the account" }).click();
  await page.waitForURL("**/docs");
  const cookie = (await context.cookies()).find(({ name }) => name === "__Host-crud-session");
  assert.ok(cookie.httpOnly && cookie.secure && cookie.sameSite === "Strict");

  await page.goto(await link("verify"));
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Make the account" }).click();
  await page.getByRole("heading", { name: "This link is used or too old" }).waitFor();
  await shoot(page, "over");

  await page.goto(`${service.url}/account/sign-in`);
  await signIn(page, ANN, "wrong horse");
  await page.getByRole("alert").filter({ hasText: "is not right" }).waitFor();
  await shoot(page, "sign-in-refused");
  // As she may have typed it when she signed up.
  await page.getByLabel("Email").fill("Ann@Example.com");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("**/docs");
  assert.deepEqual(mistakes, []);
});

test("a forgotten password is replaced", async () => {
  const { page, mistakes } = await at("/account/sign-in");
  await shoot(page, "sign-in");
  await page.getByRole("link", { name: "Forgot the password?" }).click();
  await page.getByLabel("Email").fill(ANN);
  await shoot(page, "forgot");
  await page.getByRole("button", { name: "Send the mail" }).click();
  await page.goto(await link("reset"));
  await shoot(page, "reset");
  await page.getByLabel("New password").fill("another horse battery");
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("heading", { name: "Your password is set" }).waitFor();
  await shoot(page, "reset-done");
  await page.getByRole("link", { name: "Sign in" }).click();
  await signIn(page, ANN, "another horse battery");
  await page.waitForURL("**/docs");
  assert.deepEqual(mistakes, []);
});

test("an administrator adds a second factor, and invites a person", async () => {
  const { page, mistakes } = await at("/account/sign-in");
  await signIn(page, ADMIN);
  await page.getByRole("heading", { name: "Add a second factor" }).waitFor();
  const secret = await page.locator("[data-secret]").textContent();
  assert.match(await page.getByRole("link", { name: "Open the app" }).getAttribute("href"), /^otpauth:/);
  await shoot(page, "enrol");
  await page.getByLabel("Code of the app").first().fill(code(secret));
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("heading", { name: "Keep these codes" }).waitFor();
  recovery = await page.locator("[data-codes] li").allTextContents();
  assert.equal(recovery.length, 10);
  await shoot(page, "recovery");
  await page.getByRole("button", { name: "I have kept them" }).click();
  await page.waitForURL("**/docs");

  const status = await page.evaluate(async (email) => {
    const headers = { "content-type": "application/json" };
    const session = await fetch("/account/session/refresh", { method: "POST", headers, body: "{}" });
    headers.authorization = `Bearer ${(await session.json()).access_token}`;
    const answer = await fetch("/auth/invitations", { method: "POST", headers, body: JSON.stringify({ email }) });
    return answer.status;
  }, BOB);
  assert.equal(status, 201);

  await page.goto(`${service.url}/account/sign-in`);
  await signIn(page, ADMIN);
  await page.getByRole("heading", { name: "Enter your code" }).waitFor();
  await shoot(page, "code");
  const field = page.getByLabel("Code of the app, or a recovery code");
  await field.fill("000000");
  await page.locator('[data-step="code"] button').click();
  await page.getByRole("alert").filter({ hasText: "not right" }).waitFor();
  await field.fill(recovery[0]);
  await page.locator('[data-step="code"] button').click();
  await page.waitForURL("**/docs");
  assert.deepEqual(mistakes, []);

  const other = await at(new URL(await link("invitation")).pathname);
  await other.page.goto(await link("invitation"));
  // The page loads again with its token.
  await other.page.getByLabel("Password").waitFor();
  await shoot(other.page, "invitation");
  await other.page.getByLabel("Password").fill(PASSWORD);
  await other.page.getByRole("button", { name: "Accept the invitation" }).click();
  await other.page.waitForURL("**/docs");
  assert.deepEqual(other.mistakes, []);
});

test("the admin page takes a person who has signed in with a second factor", async () => {
  const { page, mistakes } = await at("/account/sign-in");
  await page.goto(`${service.url}/admin`);
  await page.getByRole("link", { name: "Sign in another way" }).click();
  await page.waitForURL("**/account/sign-in");
  await signIn(page, ADMIN);
  await page.getByLabel("Code of the app, or a recovery code").fill(recovery[1]);
  await page.locator('[data-step="code"] button').click();
  await page.getByText("You may see no resource").waitFor();
  assert.equal(new URL(page.url()).pathname, "/admin");

  await page.goto(`${service.url}/account/sign-in?to=https://elsewhere.example/`);
  await signIn(page, ADMIN);
  await page.getByLabel("Code of the app, or a recovery code").fill(recovery[2]);
  await page.locator('[data-step="code"] button').click();
  await page.waitForURL("**/docs");
  assert.equal(new URL(page.url()).origin, service.url, "no other service is led to");
  assert.deepEqual(mistakes, []);
});

test("a page without its token says so, on a telephone and in the dark too", async () => {
  for (const name of ["verify", "invitation", "reset", "address"]) {
    const options = { viewport: { width: 360, height: 640 }, colorScheme: "dark" };
    const { page, mistakes } = await at(`/account/${name}`, options);
    await page.getByRole("heading", { name: "This link is used or too old" }).waitFor();
    await shoot(page, `dark-${name}`);
    assert.deepEqual(mistakes, []);
  }
});
