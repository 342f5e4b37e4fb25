import { existsSync } from "node:fs";

import { chromium } from "playwright-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { createCrud } from "../src/index.js";
import { until } from "./support.js";
import { PASSWORD, hasTracker, startTracker } from "./tracker.js";
import type { Tracker } from "./tracker.js";

const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
const ROUNDS = Number(process.env.ROUNDS ?? 20);

interface Issue {
  id: number;
  title: string;
  status: string;
}

type Answer<Body> = { responses: { 200: { content: { "application/json": Body } } } };
type Paths = {
  "/issues": { get: Answer<{ data: Issue[] }> & { parameters: { query?: { status?: string; sort?: string[]; limit?: number } } } };
  "/issues/events": { get: { parameters: { query?: { status?: string } } } };
  "/issues/{id}": { get: Answer<Issue> };
};

// Without the tracker's program and nginx, there is nothing to test.
describe.skipIf(!hasTracker || !existsSync(executablePath))("the tracker behind nginx", () => {
  let tracker: Tracker;
  let olga: Awaited<ReturnType<Tracker["client"]>>;
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  const stop = { all: new AbortController() };

  beforeAll(async () => {
    tracker = await startTracker();
    olga = await tracker.client("olga");
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  }, 60_000);
  beforeEach(() => {
    stop.all = new AbortController();
  });
  afterEach(async () => {
    stop.all.abort();
    await Promise.all(contexts.splice(0).map((context) => context.close()));
  });
  afterAll(async () => {
    await browser?.close();
    await tracker?.stop();
  });

  /** A window with the board, in a browser of its own or in one that has others. */
  async function openBoard(context?: BrowserContext): Promise<Page> {
    const own = context ?? (await browser.newContext());
    if (!contexts.includes(own)) contexts.push(own);
    const page = await own.newPage();
    await page.goto(tracker.url);
    await page.getByLabel("Name").fill("olga");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.locator("section").first().waitFor();
    return page;
  }

  const create = async (title: string) => (await olga("POST", "/issues", { title })).id as number;
  const shown = (page: Page, status: string, title: string) => page.locator(`[data-status=${status}]`).getByText(title, { exact: true });

  test("a change by another program is on the boards of two browsers within a second", async () => {
    const [one, two] = await Promise.all([openBoard(), openBoard()]);
    for (let count = 0; count < 5; count++) {
      const began = Date.now();
      const id = await create(`Paint ${count}`);
      await Promise.all([one, two].map((page) => shown(page, "open", `Paint ${count}`).waitFor()));
      await olga("POST", `/issues/${id}/start`);
      await Promise.all([one, two].map((page) => shown(page, "doing", `Paint ${count}`).waitFor()));
      expect(Date.now() - began).toBeLessThan(2_000);
    }
  });

  test("a card that is moved in one window moves in the other", async () => {
    const [one, two] = await Promise.all([openBoard(), openBoard()]);
    await create("Order brushes");
    await shown(one, "open", "Order brushes").dragTo(one.locator("[data-status=done]"));
    await shown(two, "done", "Order brushes").waitFor();
  });

  test("seven tabs of a browser show a change, although a user has five streams at most", async () => {
    const context = await browser.newContext();
    const pages: Page[] = [];
    for (let count = 0; count < 7; count++) pages.push(await openBoard(context));
    await create("Seven");
    await Promise.all(pages.map((page) => shown(page, "open", "Seven").waitFor()));
    await pages[0]!.close();
    await create("Six");
    await Promise.all(pages.slice(1).map((page) => shown(page, "open", "Six").waitFor()));
  });

  test("a proxy that holds streams back is polled through", async () => {
    const crud = createCrud<Paths>(`${tracker.url}/held`, { timing: { first: 1_000 } });
    await crud.$session.login("olga", PASSWORD);
    let issues: readonly Issue[] = [];
    const run = async () => {
      for await (const all of crud.issues.live({}, { signal: stop.all.signal })) issues = all;
    };
    const end = run();
    await until(() => issues.length > 0);
    // The client has given the stream up.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const began = Date.now();
    await create("Held");
    await until(() => issues.some(({ title }) => title === "Held"));
    expect(Date.now() - began).toBeLessThan(1_000);
    stop.all.abort();
    await end;
  });

  test(`across kills of the service, the folded stream is the list: ${ROUNDS} rounds`, { timeout: 1_800_000 }, async () => {
    await create("The first");
    const crud = createCrud<Paths>(`${tracker.url}/api`, { timing: { longest: 500 } });
    await crud.$session.login("olga", PASSWORD);
    let issues: readonly Issue[] = [];
    const told: string[] = [];
    const follow = async () => {
      for await (const all of crud.issues.live({}, { signal: stop.all.signal })) issues = all;
    };
    const listen = async () => {
      for await (const event of crud.issues.events({}, { signal: stop.all.signal })) told.push(event.type === "reset" ? "reset" : event.id);
    };
    const ends = Promise.all([follow(), listen()]);
    const page = await openBoard();
    await until(() => issues.length > 0);
    const ids: number[] = [];
    const random = (below: number) => Math.floor(Math.random() * below);

    /** A random change. While the service is away, it fails. */
    async function change(round: number): Promise<void> {
      const id = ids[random(ids.length)];
      const choice = id === undefined || ids.length < 10 ? 0 : random(5);
      if (choice === 0) ids.push(await create(`Round ${round}.${ids.length}`));
      else if (choice === 1) await olga("DELETE", `/issues/${ids.splice(ids.indexOf(id!), 1)[0]}`);
      else if (choice === 2) await olga("POST", `/issues/${id}/${["start", "finish", "reopen"][random(3)]}`);
      else await olga("PATCH", `/issues/${id}`, { title: `Renamed ${round}.${random(1000)}`, estimate: random(100) });
    }

    /** All issues, by their keys. */
    async function list(): Promise<Issue[]> {
      const all: Issue[] = [];
      for await (const issue of crud.issues.each({ sort: ["id"], limit: 100 })) all.push(issue);
      return all;
    }

    const byId = (all: readonly Issue[]) => [...all].sort((left, right) => left.id - right.id);
    const onPage = () =>
      page.evaluate(() => [...document.querySelectorAll("article")].map(({ id, parentElement, textContent }) => `${id} ${parentElement!.dataset.status} ${textContent}`).sort());
    for (let round = 0; round < ROUNDS; round++) {
      const changes = Array.from({ length: 8 }, () => change(round).catch(() => {}));
      if (round % 4 === 0) await tracker.restart();
      await Promise.all(changes);
      await change(round).catch(() => {});
      const expected = await list();
      const isSame = () => JSON.stringify(byId(issues)) === JSON.stringify(expected);
      await until(isSame, 20).catch(() => expect(byId(issues), `round ${round}`).toEqual(expected));
      const cards = JSON.stringify(expected.map(({ id, status, title }) => `${id} ${status} ${title}`).sort());
      await until(async () => JSON.stringify(await onPage()) === cards, 20);
    }
    stop.all.abort();
    await ends;
    // Ids grow: no event is missed by the fold, and none comes twice.
    for (let index = 1; index < told.length; index++) expect(Number(told[index])).toBeGreaterThan(Number(told[index - 1]));
    expect(told).not.toContain("reset");
    expect(told.length).toBeGreaterThan(ROUNDS);
  });
});
