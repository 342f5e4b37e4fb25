import { afterEach, beforeEach, expect, expectTypeOf, test } from "vitest";

import { CrudError, createCrud } from "../src/index.js";
import type { CrudOptions, ResourceEvent } from "../src/index.js";
import { frames } from "../src/events/frames.js";
import type { Frame } from "../src/events/frames.js";
import { startBoard } from "./board.js";
import type { Board, BoardPaths, Card } from "./board.js";
import { until } from "./support.js";

let board: Board;
const stop = { all: new AbortController() };

beforeEach(async () => {
  board = await startBoard();
  stop.all = new AbortController();
});

afterEach(async () => {
  stop.all.abort();
  await board.stop();
});

const client = (options: CrudOptions = {}) => createCrud<BoardPaths>(board.url, { ...options, timing: { retry: 20, ...options.timing } });

/** The events of a loop so far, and how the loop ended. */
function read<T>(events: AsyncIterable<T>) {
  const result = { events: [] as T[], isDone: false, error: undefined as unknown };
  const run = async () => {
    for await (const event of events) result.events.push(event);
  };
  run().then(() => (result.isDone = true), (error: unknown) => (result.error = error));
  return result;
}

const brief = (events: ResourceEvent<Card>[]) =>
  events.map((event) =>
    event.type === "reset" ? event.type : `${event.record_id} ${event.type} ${(event.data as Card | null)?.column}`,
  );

/** A random number by a seed: a failure can be repeated. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("blocks of a stream are the same, wherever it is cut and whatever ends its lines", async () => {
  const text = ': hello\nretry: 20\n\nid: 7\n\nid: 8\nevent: x\ndata: {"a":\ndata: "ü🎈"}\n\ndata\n\nid: 9\ndata: cut';
  const expected = [{ retry: "20" }, { id: "7" }, { id: "8", data: '{"a":\n"ü🎈"}' }, { data: "" }];
  for (const end of ["\n", "\r\n", "\r"]) {
    const bytes = new TextEncoder().encode(text.replaceAll("\n", end));
    for (let at = 0; at <= bytes.length; at++) {
      const pieces = [bytes.slice(0, at), bytes.slice(at)];
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => (pieces.length > 0 ? controller.enqueue(pieces.shift()!) : controller.close()),
      });
      const found: Frame[] = [];
      for await (const frame of frames(body, () => {})) found.push(frame);
      expect(found).toEqual(expected);
    }
  }
});

test("events have the types of the document", () => {
  const { cards } = client();
  expectTypeOf(cards.events({ column: "todo" })).toEqualTypeOf<AsyncIterable<ResourceEvent<Card>>>();
  expectTypeOf(cards.live({ sort: ["position"] })).toEqualTypeOf<AsyncIterable<readonly Card[]>>();
  // @ts-expect-error: the list has no such filter
  void cards.events({ colour: "red" });
  // @ts-expect-error: events have no order
  void cards.events({ sort: ["id"] });
  const told = (event: ResourceEvent<Card>): number | string | null => {
    if (event.type === "reset") return null;
    return event.record?.column ?? (event.data as Card | null)?.position ?? event.record_id;
  };
  void told;
});

test("events tell the records that enter a view, change in it and leave it", async () => {
  const { events } = read(client().cards.events({ column: "todo" }, { signal: stop.all.signal }));
  await until(() => board.open === 1);
  const id = board.create();
  await until(() => events.length === 1);
  board.update(id, { position: 9 });
  await until(() => events.length === 2);
  board.update(id, { column: "done" });
  await until(() => events.length === 3);
  expect(brief(events)).toEqual(["1 card.created todo", "1 card.updated todo", "1 card.removed undefined"]);
  expect(board.requests[0]!.asked).toEqual({ subscriptions: [{ name: "0", resource: "cards", where: { column: "todo" } }] });
});

test("an aborted loop ends, and the stream with its last reader", async () => {
  const crud = client();
  const one = new AbortController();
  const first = read(crud.cards.events({}, { signal: one.signal }));
  const second = read(crud.cards.events({}, { signal: stop.all.signal }));
  await until(() => board.open === 1);
  one.abort();
  await until(() => first.isDone);
  board.create();
  await until(() => second.events.length === 1);
  stop.all.abort();
  await until(() => second.isDone && board.open === 0);
  expect(first.events).toEqual([]);
});

test("the readers of a client share a stream, and each goes on at its own mark", async () => {
  const crud = client();
  board.create();
  const first = read(crud.cards.events({ column: "todo" }, { signal: stop.all.signal }));
  await until(() => board.open === 1);
  board.create({ column: "done" });
  board.create();
  await until(() => first.events.length === 2);
  const second = read(crud.cards.events({ column: "done" }, { after: "4700001", signal: stop.all.signal }));
  const late = read(crud.cards.events({}, { signal: stop.all.signal }));
  await until(() => second.events.length > 1);
  board.create({ column: "done" });
  await until(() => late.events.length > 0);
  expect(brief(first.events)).toEqual(["2 card.removed undefined", "3 card.created todo", "4 card.removed undefined"]);
  expect(brief(second.events)).toEqual(["2 card.created done", "3 card.removed undefined", "4 card.created done"]);
  expect(brief(late.events)).toEqual(["4 card.created done"]);
  expect(board.mostOpen).toBeLessThanOrEqual(2);
});

test("what happens while there is no stream arrives with the next one", async () => {
  const { events } = read(client().cards.events({}, { signal: stop.all.signal }));
  await until(() => board.open === 1);
  board.cut();
  const id = board.create();
  board.update(id, { column: "done" });
  await until(() => events.length === 2);
  expect(brief(events)).toEqual(["1 card.created done", "1 card.updated done"]);
});

test("a mark that the service no longer knows is a reset", async () => {
  const { events } = read(client().cards.events({}, { after: "4700000", signal: stop.all.signal }));
  board.create();
  await until(() => events.length === 1);
  board.restore();
  await until(() => events.length === 2);
  board.create();
  await until(() => events.length === 3);
  expect(brief(events)).toEqual(["1 card.created todo", "reset", "2 card.created todo"]);
});

test("a stream that a proxy holds back is polled, and a stream again later", async () => {
  board.faults.buffers = true;
  const { events } = read(client({ timing: { first: 50, poll: 100, again: 400 } }).cards.events({}, { signal: stop.all.signal }));
  await until(() => board.requests.filter(({ kind }) => kind === "poll").length === 2);
  board.create();
  await until(() => events.length === 1);
  board.faults.buffers = false;
  await until(() => board.requests.at(-1)?.kind === "stream" && board.open === 1);
  board.create();
  await until(() => events.length === 2);
  expect(brief(events)).toEqual(["1 card.created todo", "2 card.created todo"]);
});

test("history that is gone is a reset for those who poll", async () => {
  board.faults.buffers = true;
  const { events } = read(client({ timing: { first: 50, poll: 1_000 } }).cards.events({}, { signal: stop.all.signal }));
  board.create();
  await until(() => board.requests.at(-1)?.kind === "poll");
  board.restore();
  await until(() => events.length === 1);
  board.create();
  await until(() => events.length === 2);
  expect(brief(events)).toEqual(["reset", "2 card.created todo"]);
});

test("a stream that has become silent is opened again", async () => {
  const { events } = read(client({ timing: { silence: 100 } }).cards.events({}, { signal: stop.all.signal }));
  await until(() => board.open === 1);
  board.faults.silent = true;
  board.create();
  await until(() => board.requests.length > 1);
  board.faults.silent = false;
  await until(() => events.length === 1);
});

test("a refusal for now is waited for as long as it says", async () => {
  board.faults.refuses = () => ({ status: 429, headers: { "retry-after": "1" } });
  const began = Date.now();
  const { events } = read(client().cards.events({}, { after: "4700000", signal: stop.all.signal }));
  await until(() => board.requests.length === 1);
  board.faults.refuses = null;
  board.create();
  await until(() => events.length === 1);
  expect(Date.now() - began).toBeGreaterThanOrEqual(1_000);
  expect(board.requests.length).toBe(2);
});

test("a refused view fails alone", async () => {
  const crud = client();
  const good = read(crud.cards.events({ column: "todo" }, { signal: stop.all.signal }));
  await until(() => board.open === 1);
  const errors = [{ pointer: "/subscriptions/1/where/colour", code: "unknown", detail: "x" }];
  board.faults.refuses = ({ subscriptions }) => (subscriptions.length > 1 ? { status: 422, problem: { errors } } : null);
  const bad = read(crud.cards.events({ colour: "red" } as object, { signal: stop.all.signal }));
  await until(() => bad.error !== undefined);
  board.create();
  await until(() => good.events.length === 1);
  expect(bad.error).toBeInstanceOf(CrudError);
  expect(good.error).toBeUndefined();
});

test("a session that is refused ends all loops with its problem", async () => {
  board.faults.refuses = () => ({ status: 401, problem: { code: "unauthorized" } });
  const reader = read(client().cards.events());
  await until(() => reader.error !== undefined);
  expect((reader.error as CrudError).code).toBe("unauthorized");
});

test("a user with other rights lists again", async () => {
  board.expires = 1;
  const crud = client();
  await crud.$session.login("ann", "x");
  board.create();
  const changes = read(crud.cards.events({}, { signal: stop.all.signal }));
  const { events: states } = read(crud.cards.live({}, { signal: stop.all.signal }));
  await until(() => board.open === 1 && states.length > 0);
  board.roles = ["admin"];
  board.cards.set(2, { id: 2, column: "secret", position: 1 });
  board.cut();
  await until(() => states.at(-1)!.length === 2);
  await until(() => changes.events.length > 0);
  expect(brief(changes.events)).toEqual(["reset"]);
});

test("a slow reader gets a reset in place of what it has not read", async () => {
  const crud = client();
  const events = crud.cards.events({}, { after: "4700000", signal: stop.all.signal })[Symbol.asyncIterator]();
  const fast = read(crud.cards.events({}, { after: "4700000", signal: stop.all.signal }));
  board.create();
  expect(brief([(await events.next()).value])).toEqual(["1 card.created todo"]);
  for (let count = 0; count < 10_005; count++) board.update(1, { position: count });
  await until(() => fast.events.length === 10_006);
  const { value } = await events.next();
  expect(value.type).toBe("reset");
  board.update(1, { position: 0 });
  expect(Number((await events.next()).value.id)).toBeGreaterThan(Number(value.id));
});

test("a live list is listed once, and follows its events in the order of its sort keys", async () => {
  for (let count = 0; count < 7; count++) board.create();
  const { events: states } = read(client().cards.live({ column: "todo", sort: ["-position"] }, { signal: stop.all.signal }));
  const ids = () => states.at(-1)?.map(({ id }) => id).join(" ");
  await until(() => ids() === "7 6 5 4 3 2 1" && board.open === 1);
  const before = states.at(-1)!;
  board.update(2, { position: 6.5 });
  board.remove(5);
  board.update(4, { column: "done" });
  board.create({ position: 0 });
  await until(() => ids() === "7 2 6 3 1 8");
  expect(states.at(-1)!.find(({ id }) => id === 7)).toBe(before.find(({ id }) => id === 7));
});

test("a live list whose order is the service's is listed again when it may have changed", async () => {
  board.create({ column: "a" });
  board.create({ column: "c" });
  const { events: states } = read(client().cards.live({ sort: ["column"] }, { signal: stop.all.signal }));
  const ids = () => states.at(-1)?.map(({ id }) => id).join(" ");
  await until(() => ids() === "1 2" && board.open === 1);
  board.create({ column: "b" });
  await until(() => ids() === "1 3 2");
});

test("a page of a live list is listed again after each change", async () => {
  for (let count = 0; count < 4; count++) board.create();
  const { events: states } = read(client().cards.live({ limit: 2, sort: ["-position"] }, { signal: stop.all.signal }));
  const ids = () => states.at(-1)?.map(({ id }) => id).join(" ");
  await until(() => ids() === "4 3" && board.open === 1);
  board.create();
  await until(() => ids() === "5 4");
});

test("a live list of several pages has the records that a delete between them has hidden", async () => {
  for (let count = 0; count < 7; count++) board.create();
  board.faults.listed = (skip) => skip === 0 && board.cards.has(1) && board.remove(1);
  const { events: states } = read(client().cards.live({ sort: ["id"] }, { signal: stop.all.signal }));
  await until(() => states.at(-1)?.map(({ id }) => id).join(" ") === "2 3 4 5 6 7");
  expect(states[0]!.map(({ id }) => id).join(" ")).toBe("1 2 3 5 6 7");
});

test("a live list that waits for a service ends with its reader", async () => {
  board.create();
  const one = new AbortController();
  let isDown = false;
  const send: typeof fetch = (url, init) => (isDown ? Promise.reject(new TypeError("down")) : fetch(url, init));
  const crud = client({ fetch: (url, init) => send(url, init) });
  const live = read(crud.cards.live({ limit: 2 }, { signal: one.signal }));
  await until(() => live.events.length === 1 && board.open === 1);
  isDown = true;
  board.create();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  one.abort();
  await until(() => live.isDone, 1);
});

test("a live list that is reset is listed again", async () => {
  board.create();
  const { events: states } = read(client().cards.live({}, { signal: stop.all.signal }));
  await until(() => board.open === 1);
  board.cards.delete(1);
  board.restore();
  await until(() => states.at(-1)!.length === 0);
});

/** Random changes, with cuts at random bytes, repeated entries, held-back streams and resets. */
test.each([3, 100])("the folded stream is the list in rounds of faults, with pages of %i", { timeout: 600_000 }, async (limit) => {
  board.faults.limit = limit;
  const random = randomOf(Number(process.env.SEED ?? 7));
  const crud = client({ timing: { first: 60, poll: 100, again: 150, silence: 500, longest: 50 } });
  const views = [
    { column: "todo", sort: ["position"] },
    { column__in: ["doing", "done"], sort: ["-position"] },
    { sort: ["id"] },
  ];
  for (let count = 0; count < 8; count++) board.create();
  const states = views.map((view) => read(crud.cards.live(view, { signal: stop.all.signal })));
  const heard = read(crud.cards.events({}, { signal: stop.all.signal }));
  board.faults.cut = () => 60 + random(8000);
  for (let round = 0; round < Number(process.env.ROUNDS ?? 20); round++) {
    board.faults.doubled = random(4);
    board.faults.buffers = random(10) === 0;
    if (random(25) === 0) board.restore();
    for (let change = 0; change < 12; change++) {
      const ids = [...board.cards.keys()];
      const id = ids[random(ids.length)]!;
      const choice = ids.length < 6 ? 0 : random(8);
      if (choice === 0) board.create({ column: ["todo", "doing", "done"][random(3)]!, position: random(1000) });
      else if (choice === 1) board.remove(id);
      else if (choice < 5) board.update(id, { column: ["todo", "doing", "done"][random(3)]! });
      else board.update(id, { position: random(1000) });
      if (random(3) === 0) await new Promise((resolve) => setTimeout(resolve, random(20)));
    }
    const sorted = (name: keyof Card, sign: number) => (left: Card, right: Card) =>
      sign * (Number(left[name]) - Number(right[name])) || left.id - right.id;
    const all = [...board.cards.values()];
    const expected = [
      all.filter(({ column }) => column === "todo").sort(sorted("position", 1)),
      all.filter(({ column }) => column !== "todo").sort(sorted("position", -1)),
      all.sort(sorted("id", 1)),
    ].map((cards) => JSON.stringify(cards));
    const same = () => states.every(({ events }, index) => JSON.stringify(events.at(-1)) === expected[index]);
    await until(same).catch(() => expect(states.map(({ events }) => JSON.stringify(events.at(-1))), `round ${round}`).toEqual(expected));
  }
  // Ids grow between resets: no event comes twice, or late.
  let last = 0;
  for (const event of heard.events) {
    if (event.type !== "reset") expect(Number(event.id)).toBeGreaterThan(last);
    last = Number(event.id);
  }
  expect(heard.events.length).toBeGreaterThan(100);
});
