import { existsSync } from "node:fs";

import { chromium } from "playwright-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";

import { startBoard } from "./board.js";
import type { Board, BoardPaths, Card } from "./board.js";
import { until } from "./support.js";
import type * as Client from "../src/index.js";

const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
const inBrowser = test.skipIf(!existsSync(executablePath));

let browser: Browser;
let context: BrowserContext;
let board: Board;
let tabs = 0;

beforeAll(async () => {
  if (existsSync(executablePath)) browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});
afterAll(() => browser?.close());
beforeEach(async () => {
  board = await startBoard();
  context = await browser?.newContext();
});
afterEach(async () => {
  await context?.close();
  await board.stop();
});

interface Window {
  createCrud: typeof Client.createCrud;
  crud: Client.Crud<BoardPaths>;
  cards: readonly Card[];
  told: string[];
  error: Client.CrudError | undefined;
}

/** A tab with a client, whose user follows the cards. Each has an address of its own, so that the board tells them apart. */
async function openTab(user?: string, filters: object = {}): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${board.url}/?tab=${tabs++}`);
  await page.evaluate(
    async ([user, filters]) => {
      const crud = (window as unknown as Window).createCrud<BoardPaths>(location.origin, { timing: { retry: 20, check: 300 } });
      const own: Window = Object.assign(window as unknown as Window, { crud, cards: [], told: [] });
      if (user) await crud.$session.login(user, "x");
      const failed = (error: unknown) => (own.error = error as Client.CrudError);
      void (async () => {
        for await (const event of crud.cards.events(filters)) own.told.push(event.id);
      })().catch(failed);
      void (async () => {
        for await (const cards of crud.cards.live({ ...filters, sort: ["id"] })) own.cards = cards;
      })().catch(failed);
    },
    [user, filters] as const,
  );
  return page;
}

const cardsOf = (page: Page) => page.evaluate(() => (window as unknown as Window).cards.map(({ id, position }) => [id, position]));
const toldOf = (page: Page) => page.evaluate(() => (window as unknown as Window).told);
const all = () => [...board.cards.values()].map(({ id, position }) => [id, position]);

/** Waits until all tabs show all cards. */
async function settled(pages: Page[]): Promise<void> {
  const expected = JSON.stringify(all());
  await until(async () => (await Promise.all(pages.map(cardsOf))).every((cards) => JSON.stringify(cards) === expected));
}

/** Waits until streams have the views of all tabs: two of each. */
const followed = (views: number) =>
  until(() => board.open === 1 && board.requests.at(-1)!.asked.subscriptions.length === views);

/** Keeps a tab's thread from all else until the board releases it. */
function hang(): void {
  const request = new XMLHttpRequest();
  request.open("GET", "/hold", false);
  request.send();
}

inBrowser("seven tabs have one stream, and each shows what changes", async () => {
  board.create();
  const pages = await Promise.all(Array.from({ length: 7 }, () => openTab()));
  await settled(pages);
  await until(() => board.open === 1);
  for (let count = 0; count < 20; count++) board.create();
  await settled(pages);
  for (const told of await Promise.all(pages.map(toldOf))) expect(new Set(told).size).toBe(told.length);
  // Equal views are one.
  await followed(1);
  expect(board.open).toBe(1);
});

inBrowser("tabs have views of their own on the stream", async () => {
  const [todo, done] = await Promise.all([openTab("ann", { column: "todo" }), openTab("ann", { column: "done" })]);
  await followed(2);
  board.create();
  board.create({ column: "done" });
  await until(async () => JSON.stringify([await cardsOf(todo), await cardsOf(done)]) === "[[[1,1]],[[2,2]]]");
});

inBrowser("a stream passes on when its tab is closed, crashes or hangs, and nothing is missed or doubled", async () => {
  for (const end of ["closed", "crashed", "hung"] as const) {
    const pages: Page[] = [];
    for (let count = 0; count < 4; count++) pages.push(await openTab());
    // From then on, all tabs are told what changes.
    await until(async () => {
      board.create();
      return (await Promise.all(pages.map(toldOf))).every((told) => told.length > 0);
    });
    await settled(pages);
    await until(() => board.open === 1);
    const first = board.seq;
    // On a slow machine, a tab may have taken the stream from the first one.
    const leader = pages.find((page) => page.url() === board.requests.at(-1)!.page)!;
    pages.splice(pages.indexOf(leader), 1);
    const before = board.requests.length;
    let ended: Promise<unknown> = Promise.resolve();
    if (end === "closed") await leader.close();
    else if (end === "crashed") void leader.goto("chrome://crash").catch(() => {});
    else ended = leader.evaluate(hang);
    for (let count = 0; count < 5; count++) board.create();
    await until(() => board.requests.length > before);
    for (let count = 0; count < 5; count++) board.create();
    await settled(pages);
    board.release();
    await ended;
    if (end === "hung") await settled([leader]);
    for (let count = 0; count < 5; count++) board.create();
    await settled(end === "hung" ? [leader, ...pages] : pages);
    await until(async () => (await Promise.all(pages.map(toldOf))).every((told) => Number(told.at(-1)) === board.seq));
    await until(() => board.open === 1);
    for (const told of await Promise.all(pages.map(toldOf))) {
      const last = told.filter((id) => Number(id) > first).map(Number);
      expect(last).toEqual(Array.from({ length: 15 }, (_, index) => first + 1 + index));
    }
    await Promise.all(pages.map((page) => page.close()));
    await leader.close();
    await until(() => board.open === 0);
  }
});

inBrowser("streams of users, and of those who are not logged in, do not mix", async () => {
  const pages = await Promise.all(["ann", "ann", "bob", undefined].map((user) => openTab(user)));
  await until(() => board.open === 3);
  board.create();
  await settled(pages);
  const subjects = board.requests.map(({ token }) => token && JSON.parse(atob(token.split(".")[1]!)).sub);
  expect(new Set(subjects)).toEqual(new Set(["ann", "bob", undefined]));
  await until(() => board.open === 3);
});

inBrowser("a logout ends the loops of its tab, and no other", async () => {
  const [one, two] = [await openTab("ann"), await openTab("ann")];
  board.create();
  await settled([one, two]);
  await one.evaluate(() => (window as unknown as Window).crud.$session.logout());
  await until(async () => (await one.evaluate(() => (window as unknown as Window).error?.code)) === "session_ended");
  board.create();
  await settled([two]);
  expect(await one.evaluate(() => (window as unknown as Window).cards.length)).toBe(1);
});
