// A small service of cards that speaks the protocol of events, with faults that tests choose.

import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";

export interface Card {
  id: number;
  column: string;
  position: number;
}

interface Entry {
  seq: number;
  id: number;
  type: "created" | "updated" | "removed";
  changed?: string[];
}

interface Subscription {
  name: string;
  resource: string;
  /** Not empty: the service refuses that. */
  where?: Record<string, unknown>;
}

interface Asked {
  after?: string;
  wait?: number;
  subscriptions: Subscription[];
}

/** The faults that a test turns on. */
export interface Faults {
  /** Streams are cut after so many bytes. */
  cut: () => number;
  /** A stream repeats so many entries from before its mark. */
  doubled: number;
  /** Streams hold back all that they have. */
  buffers: boolean;
  /** Streams and polls say nothing after their first mark. */
  silent: boolean;
  /** Answers in place of events. */
  refuses: ((asked: Asked) => { status: number; headers?: Record<string, string>; problem?: object } | null) | null;
  /** The oldest entry that is kept. */
  kept: number;
  /** The number of records of a page. */
  limit: number;
  /** Called after each page, with the number of records before it. */
  listed: (skip: number) => void;
}

/** A page whose scripts of tests have the client. */
const PAGE = `<!doctype html><title>board</title><link rel="icon" href="data:,">
<script type="module">
  import { createCrud } from "/client/index.js";
  Object.assign(window, { createCrud });
</script>`;

const json = { "content-type": "application/json" };
const sleep = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

export async function startBoard() {
  const cards = new Map<number, Card>();
  let log: Entry[] = [];
  let seq = 4_700_000;
  let nextId = 1;
  const faults: Faults = { cut: () => Infinity, doubled: 0, buffers: false, silent: false, refuses: null, kept: 0, limit: 3, listed: () => {} };
  const waiting = new Set<() => void>();
  /** The requests for events, with the token of each and the page that sent it. */
  const requests: { kind: "stream" | "poll"; asked: Asked; token: string | undefined; page: string | undefined }[] = [];
  /** Answers that are held back. */
  const held: ServerResponse[] = [];
  let open = 0;
  let mostOpen = 0;
  /** The user of the last login, whose token is refreshed. */
  let user = "";

  function write(type: Entry["type"], id: number, changed?: string[]): void {
    log.push({ seq: ++seq, id, type, ...(changed && { changed }) });
    for (const wake of waiting) wake();
  }

  const service = {
    url: "",
    /** The lifetime of tokens in seconds: they are refreshed ten before its end. */
    expires: 60,
    /** The roles of tokens. */
    roles: [] as string[],
    cards,
    faults,
    requests,
    /** The newest entry. */
    get seq() {
      return seq;
    },
    get open() {
      return open;
    },
    get mostOpen() {
      return mostOpen;
    },
    create(card: Partial<Card> = {}): number {
      const id = nextId++;
      cards.set(id, { id, column: "todo", position: id, ...card });
      write("created", id);
      return id;
    },
    update(id: number, change: Partial<Card>): void {
      cards.set(id, { ...cards.get(id)!, ...change });
      write("updated", id, Object.keys(change));
    },
    remove(id: number): void {
      cards.delete(id);
      write("removed", id);
    },
    /** Begins another log, as a database that was restored from a backup does. */
    restore(): void {
      log = [];
      seq -= 10_000;
      service.cut();
    },
    cut: () => server.closeAllConnections(),
    /** Answers the requests for `/hold`. */
    release: () => held.splice(0).forEach((answer) => answer.end()),
    stop: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())),
  };

  const matches = (card: Card, where: Record<string, unknown>): boolean =>
    Object.entries(where).every(([name, value]) => {
      const [field = "", op = "eq"] = name.split("__");
      const own = card[field as keyof Card];
      if (op === "in") return (Array.isArray(value) ? value : String(value).split(",")).map(String).includes(String(own));
      return op === "lte" ? Number(own) <= Number(value) : String(own) === String(value);
    });

  function found(where: Record<string, unknown>, sort: string): Card[] {
    const keys = [...sort.split(",").filter(Boolean), "id"];
    const compare = (left: Card, right: Card) => {
      for (const key of keys) {
        const name = key.replace("-", "") as keyof Card;
        const sign = key.startsWith("-") ? -1 : 1;
        if (left[name] !== right[name]) return left[name] < right[name] ? -sign : sign;
      }
      return 0;
    };
    return [...cards.values()].filter((card) => matches(card, where)).sort(compare);
  }

  function list(url: URL, answer: ServerResponse): void {
    const { sort = "", limit = faults.limit, skip = "0", ...where } = Object.fromEntries(url.searchParams);
    const all = found(where, sort);
    const data = all.slice(Number(skip), Number(skip) + Number(limit));
    answer.writeHead(200, { ...json, "events-after": String(seq) });
    answer.end(JSON.stringify({ data, total: all.length }));
    faults.listed(Number(skip));
  }

  function render(entry: Entry, { name, where = {} }: Subscription): object | null {
    const card = cards.get(entry.id);
    const isSeen = card && matches(card, where);
    const type = isSeen ? (entry.type === "removed" ? "updated" : entry.type) : "removed";
    const common = { id: String(entry.seq), type: `card.${type}`, timestamp: "2030-01-01T00:00:00Z", resource: "cards" };
    return { ...common, record_id: entry.id, changed: entry.changed, data: isSeen ? card : null, subscription: name };
  }

  /** The events of the entries after a mark. */
  const since = (mark: number, subscriptions: Subscription[]) =>
    log.filter((entry) => entry.seq > mark)
      .flatMap((entry) => subscriptions.map((subscription) => [entry.seq, render(entry, subscription)] as const));

  const isGone = (after: string | undefined) =>
    after !== undefined && (Number(after) > seq || Number(after) < faults.kept);

  async function stream(asked: Asked, answer: ServerResponse): Promise<void> {
    answer.writeHead(200, { "content-type": "text/event-stream", "x-accel-buffering": "no", "cache-control": "no-store" });
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    let isClosed = false;
    let wake = () => {};
    const notify = () => wake();
    waiting.add(notify);
    answer.on("close", () => {
      isClosed = true;
      open -= 1;
      waiting.delete(notify);
      wake();
    });
    let left = faults.cut();
    const send = (text: string) => {
      if (isClosed || faults.buffers) return;
      const bytes = Buffer.from(text);
      if (bytes.length < left) {
        left -= bytes.length;
        answer.write(bytes);
        return;
      }
      answer.write(bytes.subarray(0, left), () => answer.destroy());
      isClosed = true;
    };
    answer.flushHeaders();
    send(": hello\nretry: 20\n\n");
    let at = asked.after === undefined ? seq : Number(asked.after);
    if (isGone(asked.after)) {
      at = seq;
      send(`id: ${at}\nevent: reset\ndata: {"id":"${at}","type":"reset"}\n\n`);
    } else send(`id: ${at}\n\n`);
    at -= asked.after === undefined ? 0 : faults.doubled;
    while (!isClosed) {
      for (const [id, event] of faults.silent ? [] : since(at, asked.subscriptions))
        send(`id: ${id}\nevent: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`);
      at = seq;
      await new Promise<void>((resolve) => (wake = resolve));
      // Changes of a moment go together.
      await sleep(2);
    }
  }

  async function poll(asked: Asked, answer: ServerResponse): Promise<void> {
    if (isGone(asked.after)) return refuse(answer, 410, {}, { code: "history_gone" });
    const at = Number(asked.after ?? seq);
    if (at === seq && asked.wait) {
      let notify = () => {};
      const changed = new Promise<void>((resolve) => waiting.add((notify = resolve)));
      await Promise.race([changed, sleep(asked.wait * 1000)]);
      waiting.delete(notify);
    }
    answer.writeHead(200, json);
    answer.end(JSON.stringify({ data: since(at, asked.subscriptions).map(([, event]) => event), after: String(seq) }));
  }

  function refuse(answer: ServerResponse, status: number, headers: Record<string, string>, problem: object): void {
    answer.writeHead(status, { ...json, ...headers });
    answer.end(JSON.stringify({ status, title: "refused", detail: "refused", code: "refused", ...problem }));
  }

  /** Logs anyone in, with a token that is not signed. */
  function logIn(asked: { username?: string }, answer: ServerResponse): void {
    user = asked.username ?? user;
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = { sub: user, roles: service.roles, iat: Date.now(), exp: Date.now() + 60_000, jti: Math.random() };
    const token = `${part({ alg: "none" })}.${part(claims)}.x`;
    answer.writeHead(200, json).end(JSON.stringify({ access_token: token, refresh_token: "r", expires_in: service.expires }));
  }

  /** Files of a page: modules of the built client, and an empty page. */
  function file(url: URL, answer: ServerResponse): void {
    if (!url.pathname.startsWith("/client/")) answer.writeHead(200, { "content-type": "text/html" }).end(PAGE);
    else {
      const text = readFileSync(new URL(`../dist/${url.pathname.slice("/client/".length)}`, import.meta.url));
      answer.writeHead(200, { "content-type": "text/javascript" }).end(text);
    }
  }

  async function body(request: IncomingMessage): Promise<Asked> {
    let text = "";
    for await (const piece of request) text += String(piece);
    return JSON.parse(text) as Asked;
  }

  const server = createServer(async (request, answer) => {
    const url = new URL(request.url!, "http://board");
    if (url.pathname === "/cards") return list(url, answer);
    if (url.pathname === "/hold") return void held.push(answer);
    if (request.method === "GET") return file(url, answer);
    const asked = await body(request);
    if (url.pathname.startsWith("/auth/")) return logIn(asked as { username?: string }, answer);
    const kind = request.headers.accept === "text/event-stream" ? "stream" : "poll";
    if (asked.subscriptions.some(({ where }) => where && Object.keys(where).length === 0))
      return refuse(answer, 422, {}, { detail: "where: must have a member" });
    requests.push({ kind, asked, token: request.headers.authorization, page: request.headers.referer });
    const refuses = faults.refuses?.(asked);
    if (refuses) return refuse(answer, refuses.status, refuses.headers ?? {}, refuses.problem ?? {});
    return kind === "stream" ? stream(asked, answer) : poll(asked, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return service;
}

export type Board = Awaited<ReturnType<typeof startBoard>>;

/** The types of the board's document. */
export type BoardPaths = {
  "/cards": {
    get: {
      parameters: { query?: { column?: string; column__in?: string[]; sort?: string[]; limit?: number; skip?: number } };
      responses: { 200: { content: { "application/json": { data: Card[]; total: number } } } };
    };
  };
  "/cards/events": { get: { parameters: { query?: { after?: string } } } };
  "/cards/{id}": { get: { responses: { 200: { content: { "application/json": Card } } } } };
};
