// Lists and records that follow what others change.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { PASSWORD, client, go, launch, logIn, open, start, takeFiles, violations } from "./support.mjs";

let tracker, browser, page, context, mistakes, api;

before(async () => {
  tracker = await start(process.env.TRACKER, { env: { ADMIN_PASSWORD: PASSWORD } });
  const operator = await tracker.client();
  const user = await operator("POST", "/auth/users", { username: "olga", password: PASSWORD });
  const team = await operator("POST", "/teams", { name: "Red" });
  const olga = { team_id: team.value.id, user_id: user.value.id, name: "Olga", role: "owner" };
  assert.equal((await operator("POST", "/members", olga)).status, 201);
  api = await client(tracker.url, "olga", PASSWORD);
  for (let index = 0; index < 5; index++) await create(`Issue ${index}`);
  browser = await launch();
  ({ page, context, mistakes } = await open(browser, tracker.url));
  await logIn(page, "olga", PASSWORD);
});

after(async () => {
  await browser?.close();
  await tracker?.stop();
  assert.deepEqual(mistakes, [], "errors, refused loads and requests elsewhere");
});

async function create(title) {
  const made = await api("POST", "/issues", { title });
  assert.equal(made.status, 201, JSON.stringify(made.value));
  return made.value.id;
}

/** A file of the picture, where `SCREENSHOTS` names a folder. */
const picture = (name) =>
  process.env.SCREENSHOTS && page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png` });

const row = (title) => page.getByRole("row").filter({ hasText: title });
const away = () => page.mouse.move(5, 5);

/** The list, and the moment from which its stream has what changes. */
async function openList(place = "/issues") {
  const stream = page.waitForResponse((response) => response.url().endsWith("/events"));
  await go(page, place);
  await row("Issue 1").waitFor();
  await stream;
  await away();
}

test("a row that another program changes, adds or removes, changes in the list", async () => {
  await openList();
  const { value: { data: [one] } } = await api("GET", "/issues?title=Issue%201");
  assert.equal((await api("PATCH", `/issues/${one.id}`, { title: "Paint the door" })).status, 200);
  await row("Paint the door").and(page.locator(".fresh")).waitFor();
  await picture("live-list");
  const id = await create("Order paint");
  await row("Order paint").waitFor();
  assert.equal(await page.locator("h1 .total").textContent(), "6");
  await api("DELETE", `/issues/${id}`);
  await row("Order paint").waitFor({ state: "detached" });
  assert.deepEqual(await violations(page), []);
});

test("rows do not move away from the pointer, and change in their places", async () => {
  await row("Issue 2").hover();
  const before = await row("Issue 2").boundingBox();
  const { value: { data: [three] } } = await api("GET", "/issues?title=Issue%203");
  await api("PATCH", `/issues/${three.id}`, { title: "Issue three" });
  await row("Issue three").waitFor();
  await create("Sweep the yard");
  const show = page.getByRole("button", { name: "Changed elsewhere: show" });
  await show.waitFor();
  assert.equal(await row("Sweep the yard").count(), 0);
  assert.deepEqual(await row("Issue 2").boundingBox(), before);
  await picture("live-pending");
  assert.deepEqual(await violations(page), []);
  await show.click();
  await row("Sweep the yard").waitFor();
});

test("a filtered list follows what enters and leaves it", async () => {
  await go(page, "/issues?status=doing");
  await page.getByRole("heading", { name: "No record fits" }).waitFor();
  const { value: { data: [four] } } = await api("GET", "/issues?title=Issue%204");
  await api("POST", `/issues/${four.id}/start`);
  await row("Issue 4").waitFor();
  await api("POST", `/issues/${four.id}/finish`);
  await row("Issue 4").waitFor({ state: "detached" });
});

test("an open record shows what another person saves, and by whom", async () => {
  const id = await create("Clean the brushes");
  await go(page, `/issues/${id}`);
  await page.getByLabel("Title").waitFor();
  await api("PATCH", `/issues/${id}`, { title: "Clean all brushes" });
  await page.getByText(/^Changed by .+: Title\.$/).waitFor();
  assert.equal(await page.getByLabel("Title").inputValue(), "Clean all brushes");
  await picture("live-record");
});

test("what a person types stays, and is compared with what another one has saved", async () => {
  const id = await create("Buy milk");
  await go(page, `/issues/${id}`);
  await page.getByRole("heading", { level: 1, name: "Buy milk" }).waitFor();
  await page.getByLabel("Title").fill("Buy oat milk");
  const before = await page.getByLabel("Title").boundingBox();
  await api("PATCH", `/issues/${id}`, { title: "Buy soy milk", estimate: 3 });
  await page.getByText(/^Changed by .+: Title, Estimate\.$/).waitFor();
  assert.equal(await page.getByLabel("Title").inputValue(), "Buy oat milk");
  assert.deepEqual(await page.getByLabel("Title").boundingBox(), before);
  await picture("live-typing");
  assert.deepEqual(await violations(page), []);
  await page.getByRole("button", { name: "Compare" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Buy soy milk").waitFor();
  await picture("live-compare");
  await dialog.getByRole("button", { name: "Save my choice" }).click();
  await page.getByText("Saved", { exact: true }).last().waitFor();
  const { value } = await api("GET", `/issues/${id}`);
  assert.deepEqual([value.title, value.estimate], ["Buy oat milk", 3]);
  assert.equal(await page.getByRole("button", { name: "Compare" }).count(), 0);
});

test("a record that another person deletes is said to be gone", async () => {
  const id = await create("Old news");
  await go(page, `/issues/${id}`);
  await page.getByRole("heading", { level: 1, name: "Old news" }).waitFor();
  await api("DELETE", `/issues/${id}`);
  await page.getByText("Deleted", { exact: true }).or(page.getByText("has been removed")).first().waitFor();
  await picture("live-gone");
});

test("a second tab follows by the stream of the first", async () => {
  const second = await context.newPage();
  const streams = [];
  second.on("request", (request) => request.url().endsWith("/events") && streams.push(request.url()));
  await takeFiles(second, tracker.url);
  await second.goto(`${tracker.url}/admin#/issues`);
  await second.getByRole("row").filter({ hasText: "Issue 2" }).waitFor();
  await create("Seen in both");
  await second.getByRole("row").filter({ hasText: "Seen in both" }).waitFor();
  assert.deepEqual(streams, []);
  await second.close();
});
