// The tracker: tenants of members, nested records, links of many-to-many, aggregates.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { PASSWORD, client, go, launch, logIn, open, start, violations } from "./support.mjs";

let tracker, browser, page, mistakes, api;

before(async () => {
  tracker = await start(process.env.TRACKER, { env: { ADMIN_PASSWORD: PASSWORD } });
  const operator = await tracker.client();
  const user = await operator("POST", "/auth/users", { username: "olga", password: PASSWORD });
  assert.equal(user.status, 201, JSON.stringify(user.value));
  for (const name of ["Red", "Blue"]) {
    const team = await operator("POST", "/teams", { name });
    const member = await operator("POST", "/members",
      { team_id: team.value.id, user_id: user.value.id, name: "Olga", role: "owner" });
    assert.ok(name === "Blue" || member.status === 201, JSON.stringify(member.value));
  }
  const manager = { username: "opal", password: PASSWORD, roles: ["operator", "member"] };
  assert.equal((await operator("POST", "/auth/users", manager)).status, 201);
  api = await client(tracker.url, "olga", PASSWORD);
  for (const name of ["bug", "feature"]) assert.equal((await api("POST", "/labels", { name })).status, 201);
  for (let index = 0; index < 5; index++) assert.equal(
    (await api("POST", "/issues",
      { title: `Issue ${index}`, estimate: index, priority: index % 2 ? "high" : "low" })).status, 201);
  browser = await launch();
  ({ page, mistakes } = await open(browser, tracker.url));
  await logIn(page, "olga", PASSWORD);
});

after(async () => {
  await browser?.close();
  await tracker?.stop();
  assert.deepEqual(mistakes, [], "errors, refused loads and requests elsewhere");
});

const note = (text) => page.getByRole("status").getByText(text, { exact: true }).last();

test("a resource that is hidden has no place in the menu, and its records are reached", async () => {
  const menu = page.getByRole("navigation", { name: "Pages of the service" });
  await menu.getByRole("link", { name: "Issues" }).waitFor();
  assert.equal(await menu.getByRole("link", { name: "Checklist" }).count(), 0);
  await go(page, "/checklist");
  await page.getByRole("heading", { level: 1, name: /^Checklist/ }).waitFor();
});

test("groups of issues are counted and summed, with bars", async () => {
  await go(page, "/issues");
  await page.getByRole("button", { name: "Summary" }).click();
  const summary = page.getByRole("region", { name: "Summary" });
  await summary.getByLabel("By").selectOption("priority");
  await summary.getByLabel("Show").selectOption("sum estimate");
  const row = summary.getByRole("row", { name: /High/ });
  await row.getByText("4", { exact: true }).waitFor();
  assert.deepEqual(await violations(page), []);
});

test("labels are linked and removed", async () => {
  await go(page, "/issues/1");
  const labels = page.getByRole("region", { name: "Labels" });
  await labels.getByRole("button", { name: "Add" }).click();
  await labels.getByRole("combobox").fill("bug");
  await labels.getByRole("option", { name: /bug/ }).waitFor();
  await page.keyboard.press("Enter");
  await labels.getByRole("link", { name: "bug" }).waitFor();
  assert.equal((await api("GET", "/issues/1/labels")).value.data.length, 1);
  await labels.getByRole("button", { name: "Remove bug" }).click();
  await labels.getByRole("link", { name: "bug" }).waitFor({ state: "detached" });
});

test("a checklist is edited with its issue", async () => {
  await page.getByRole("button", { name: "Add checklist item" }).click();
  await page.getByLabel("Text").last().fill("Write it down");
  await page.getByRole("button", { name: "Save lines" }).click();
  await note("Saved").waitFor();
  assert.deepEqual((await api("GET", "/checklist?issue_id=1")).value.data.map(({ text }) => text), ["Write it down"]);
  await page.getByLabel("Text").last().fill("Write it twice");
  await page.getByRole("button", { name: "Save lines" }).click();
  await page.waitForFunction(() => !document.body.textContent.includes("Lines changed"));
  assert.deepEqual((await api("GET", "/checklist?issue_id=1")).value.data.map(({ text }) => text), ["Write it twice"]);
  await page.getByRole("button", { name: /Remove checklist item/ }).click();
  await page.getByRole("button", { name: "Save lines" }).click();
  await page.waitForFunction(() => !document.body.textContent.includes("Lines changed"));
  assert.equal((await api("GET", "/checklist?issue_id=1")).value.total, 0);
  assert.deepEqual(await violations(page), []);
});

test("labels of an enum and the reference of a user are for people", async () => {
  await go(page, "/issues/new");
  await page.getByLabel("Priority").selectOption({ label: "As soon as possible" });
  await page.getByLabel("Title").fill("Now");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name: /Now/ }).waitFor();
  assert.equal((await api("GET", "/issues?title=Now")).value.data[0].priority, "urgent");
});

test("a user's roles and memberships are edited", async () => {
  const other = await open(browser, tracker.url);
  await logIn(other.page, "opal", PASSWORD);
  await go(other.page, "/~users");
  await other.page.getByRole("link", { name: "olga" }).click();
  const memberships = other.page.getByRole("region", { name: "Memberships", exact: true });
  await memberships.getByRole("link", { name: "Olga" }).first().waitFor();
  const roles = other.page.locator(".field").filter({ hasText: "Roles" });
  await roles.getByRole("button", { name: "support", exact: true }).click();
  await roles.getByLabel("Roles").fill("auditor");
  await roles.getByLabel("Roles").press("Enter");
  assert.equal(await roles.getByRole("button", { name: "auditor" }).getAttribute("aria-pressed"), "true");
  assert.deepEqual(await violations(other.page), []);
  await other.page.getByRole("button", { name: "Save" }).click();
  await other.page.getByRole("status").getByText("Saved").waitFor();
  const operator = await tracker.client();
  const olga = async () => (await operator("GET", "/auth/users?username=olga")).value.data[0];
  assert.deepEqual((await olga()).roles.sort(), ["auditor", "support"]);
  await memberships.getByRole("link", { name: "New" }).click();
  await other.page.getByLabel("Name").fill("Olga in blue");
  await other.page.waitForFunction(() => document.querySelector('[name="user_id"]').value === "olga");
  await other.page.getByLabel("User", { exact: true }).fill("opa");
  await other.page.getByRole("option", { name: /opal/ }).click();
  await other.page.getByLabel("Team", { exact: true }).fill("Blue");
  await other.page.getByRole("option", { name: /Blue/ }).click();
  await other.page.getByLabel("Role", { exact: true }).selectOption("guest");
  await other.page.getByRole("button", { name: "Create" }).click();
  await other.page.getByRole("heading", { level: 1, name: "Olga in blue" }).waitFor();
  assert.deepEqual(other.mistakes, []);
  await other.context.close();
});

test("the sessions of a user are ended, and the user logs in again", async () => {
  const logInAgain = () => fetch(`${tracker.url}/auth/login`, {
    method: "POST", headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "olga", password: PASSWORD }),
  });
  const session = async () => (await (await logInAgain()).json()).refresh_token;
  const refresh = (token) => fetch(`${tracker.url}/auth/refresh`, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ refresh_token: token }),
  });
  assert.equal((await refresh(await session())).status, 200);
  const token = await session();
  const other = await open(browser, tracker.url);
  await logIn(other.page, "opal", PASSWORD);
  await go(other.page, "/~users?q=olga");
  await other.page.getByRole("link", { name: "olga" }).click();
  await other.page.getByRole("button", { name: "End all sessions" }).click();
  await other.page.getByRole("dialog").getByRole("button", { name: "End sessions" }).click();
  await other.page.getByRole("status").getByText("The sessions of olga are ended").waitFor();
  assert.equal((await refresh(token)).status, 401);
  assert.equal((await logInAgain()).status, 200);
  await go(other.page, "/~users?q=opal");
  await other.page.getByRole("link", { name: "opal" }).click();
  await other.page.getByRole("heading", { level: 1, name: /opal/ }).waitFor();
  assert.equal(await other.page.getByRole("button", { name: /End all sessions|Block/ }).count(), 0, "not the own ones");
  await other.context.close();
});

test("a role without an operation has no button for it, and the API refuses it", async () => {
  const operator = await tracker.client();
  const mia = await operator("POST", "/auth/users", { username: "mia", password: PASSWORD });
  const of = { team_id: 1, user_id: mia.value.id, name: "Mia", role: "member" };
  assert.equal((await operator("POST", "/members", of)).status, 201);
  const other = await open(browser, tracker.url);
  await logIn(other.page, "mia", PASSWORD);
  await go(other.page, "/members");
  await other.page.getByRole("link", { name: "Mia" }).waitFor();
  assert.equal(await other.page.getByRole("link", { name: "New" }).count(), 0);
  assert.equal(await other.page.getByRole("checkbox").count(), 0);
  await other.page.getByRole("link", { name: "Mia" }).click();
  await other.page.getByRole("heading", { level: 1, name: "Mia" }).waitFor();
  assert.equal(await other.page.getByRole("button", { name: /Delete|Save|Restore/ }).count(), 0);
  assert.equal(await other.page.getByRole("link", { name: /Users|Log/ }).count(), 0);
  await other.page.keyboard.press("Control+k");
  await other.page.getByRole("dialog", { name: "Go to" }).getByRole("combobox").waitFor();
  await other.page.keyboard.type("new member");
  await other.page.getByText("Nothing is called so.").waitFor();
  const api = await client(tracker.url, "mia", PASSWORD);
  const id = (await api("GET", "/members?name=Mia")).value.data[0].id;
  const refused = [
    ["POST", "/members", of], ["PATCH", `/members/${id}`, { name: "Owner" }], ["DELETE", `/members/${id}`],
    ["GET", "/auth/users"], ["GET", "/audit-logs"],
  ];
  for (const [method, path, body] of refused) assert.equal((await api(method, path, body)).status, 403,
    `${method} ${path}`);
  assert.deepEqual(other.mistakes, []);
  await other.context.close();
});

test("a duplicated tab keeps the session of the other, though each refresh token works once", async () => {
  const one = await open(browser, tracker.url);
  await logIn(one.page, "olga", PASSWORD);
  const two = await one.context.newPage();
  await two.goto(`${tracker.url}/admin`);
  const isOpen = (tab) => tab.getByRole("navigation", { name: "Pages of the service" }).waitFor();
  await isOpen(two);
  for (let round = 0; round < 3; round++) {
    await Promise.all([one.page.reload(), two.reload()]);
    await Promise.all([isOpen(one.page), isOpen(two)]);
  }
  await two.getByRole("button", { name: "olga" }).or(two.locator(".caller")).first().click();
  await two.getByRole("button", { name: "Log out" }).click();
  await two.getByLabel("Password").waitFor();
  await one.page.reload();
  await one.page.getByLabel("Password").waitFor();
  assert.deepEqual(one.mistakes, []);
  await one.context.close();
});
