// The login with a real issuer, from the admin page. KEYCLOAK is the origin of a Keycloak whose administrator is
// `admin` with the password `admin`: the part `issuer` starts one.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";

import { launch, open, start, violations } from "./support.mjs";

const { KEYCLOAK, PEOPLE } = process.env;
const PASSWORD = "correct horse battery";
const realm = `people-${randomUUID()}`;
const options = { skip: !KEYCLOAK && "KEYCLOAK is not set" };

let browser, service;

async function token() {
  const form = { grant_type: "password", client_id: "admin-cli", username: "admin", password: "admin" };
  const url = `${KEYCLOAK}/realms/master/protocol/openid-connect/token`;
  const answer = await fetch(url, { method: "POST", body: new URLSearchParams(form) });
  return (await answer.json()).access_token;
}

/** Makes a record of Keycloak's by its admin API. */
async function make(path, record) {
  const headers = { authorization: `Bearer ${await token()}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(record) };
  const answer = await fetch(`${KEYCLOAK}/admin/realms${path}`, init);
  assert.equal(answer.status, 201, await answer.text());
}

before(async () => {
  if (!KEYCLOAK) return;
  await make("", { realm, enabled: true, sslRequired: "none" });
  for (const username of ["ada", "bob"]) {
    await make(`/${realm}/users`, {
      username, email: `${username}@example.com`, emailVerified: true, enabled: true,
      firstName: username, lastName: "Shop",
      credentials: [{ type: "password", value: PASSWORD, temporary: false }],
    });
  }
  browser = await launch();
  service = await start(PEOPLE, { env: { RUST_LOG: "info", ISSUER: `${KEYCLOAK}/realms/${realm}` } });
  await make(`/${realm}/clients`, {
    clientId: "people", enabled: true, publicClient: true, redirectUris: [`${service.url}/auth/oidc/company/callback`],
    attributes: { "pkce.code.challenge.method": "S256" },
  });
});

after(async () => {
  if (!KEYCLOAK) return;
  await browser.close();
  await service.stop();
});

/** Signs in at Keycloak, from the admin page. */
async function signIn(username) {
  const { page, mistakes } = await open(browser, service.url, { viewport: { width: 900, height: 700 } }, "/admin");
  await page.getByRole("link", { name: "Sign in another way" }).click();
  await page.getByRole("link", { name: "the company" }).click();
  await page.waitForURL(`${KEYCLOAK}/**`);
  await page.locator("#username").fill(username);
  await page.locator("#password").fill(PASSWORD);
  await page.locator("#kc-login").click();
  await page.waitForURL(`${service.url}/admin`);
  return { page, mistakes };
}

test("an administrator of the issuer's opens the admin page", options, async () => {
  const { page } = await signIn("ada");
  await page.getByText("You may see no resource").waitFor();
  assert.deepEqual(await violations(page), []);
});

test("a person without the role is not let in", options, async () => {
  const { page } = await signIn("bob");
  await page.getByRole("button", { name: "Log in as another user" }).waitFor();
  assert.equal(await page.getByText("You may see no resource").count(), 0);
});
