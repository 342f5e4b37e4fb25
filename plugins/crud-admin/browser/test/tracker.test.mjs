// The tracker: tenants of members, nested records, links of many-to-many, aggregates.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { PASSWORD, client, go, launch, logIn, open, start, violations } from "./support.mjs";

let tracker, browser, page, mistakes, api;

before(async () => {
  tracker = await start(process.env.TRACKER, { env: { ADMIN_PASSWORD: PASSWORD }, database: process.env.TRACKER_DATABASE });
  const operator = await tracker.client();
  const user = await operator("POST", "/auth/users", { username: "olga", password: PASSWORD });
  assert.equal(user.status, 201, JSON.stringify(user.value));
  for (const name of ["Red", "Blue"]) {
    const team = await operator("POST", "/teams", { name });
    const member = await operator("POST", "/members", { team_id: team.value.id, user_id: user.value.id, name: "Olga", role: "owner" });
    assert.ok(name === "Blue" || member.status === 201, JSON.stringify(member.value));
  }
  api = await client(tracker.url, "olga", PASSWORD);
  for (const name of ["bug", "feature"]) assert.equal((await api("POST", "/labels", { name })).status, 201);
  for (let index = 0; index < 5; index++) assert.equal((await api("POST", "/issues", { title: `Issue ${index}`, estimate: index, priority: index % 2 ? "high" : "low" })).status, 201);
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
