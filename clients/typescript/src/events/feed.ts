import { parse, stringify } from "../json.js";
import { CrudError, parseAnswer } from "../problem.js";
import type { Fetch } from "../session.js";
import { batchOf } from "./batch.js";
import type { Batch, View } from "./batch.js";
import type { Arrived } from "./event.js";
import { frames } from "./frames.js";
import type { EventTiming } from "./timing.js";

/** The source of a user's events. */
export interface Source {
  /** The service's URL, without a slash at its end. */
  url: string;
  fetch: Fetch;
  timing: EventTiming;
}

/** The events of views, by one connection at a time: a stream, or polls where a proxy holds streams back. */
export interface Feed {
  add(view: View): void;
  remove(view: View): void;
  close(): void;
}

/** Reasons to end a connection: its views have changed, or the network has; it delivers nothing. */
const RENEWED = {};
const SILENT = {};

/** Statuses that say nothing about the request: another attempt may succeed. */
const PASSING = [408, 425, 429];

/** `refused` is called when the service refuses the session: it has no view that can be followed. */
export function openFeed({ url, fetch, timing }: Source, refused: (error: CrudError) => void): Feed {
  const views = new Set<View>();
  let connection = new AbortController();
  let isRunning = false;
  /** The newest mark that has arrived, and when the last bytes did. */
  let newest: string | null = null;
  let heard = 0;
  /** The end of polling, where streams deliver nothing; and whether a poll has succeeded. */
  let pollsUntil = 0;
  let hasPolled = false;
  let retry = timing.retry;
  let soon: ReturnType<typeof setTimeout>;
  let timer: ReturnType<typeof setTimeout>;
  let endPause = () => {};

  function renew(reason = RENEWED): void {
    connection.abort(reason);
    endPause();
  }

  // The network is another one: what was sent on the last one is lost.
  const online = () => renew();
  // A computer that slept has no timers that fire in time.
  const shown = () => {
    if (document.visibilityState === "visible" && Date.now() - heard > timing.silence / 2) renew(SILENT);
  };
  const ended = new AbortController();
  globalThis.addEventListener?.("online", online, ended);
  globalThis.document?.addEventListener("visibilitychange", shown, ended);

  async function run(): Promise<void> {
    isRunning = true;
    for (let failures = 0; views.size > 0; ) {
      connection = new AbortController();
      const { signal } = connection;
      const batch = batchOf(views, newest);
      const began = Date.now();
      const polls = began < pollsUntil;
      const exchange = polls ? poll(batch, signal) : stream(batch, signal);
      const wait = await exchange.catch((error: unknown) => failed(error, batch, !polls && heard < began));
      clearTimeout(timer);
      newest = batch.newest() ?? newest;
      failures = heard >= began ? 0 : failures + 1;
      // Full jitter: a service that starts again is not asked by all of its clients at once.
      const backOff = Math.min(timing.longest, (retry / 2) * 2 ** failures) * Math.random();
      if (signal.reason !== RENEWED) await pause(wait ?? backOff);
    }
    isRunning = false;
  }

  async function stream(batch: Batch, signal: AbortSignal): Promise<undefined> {
    const answer = await send(batch.body, "text/event-stream", timing.first);
    hasPolled = false;
    for await (const frame of frames(answer.body!, hear)) {
      if (signal.aborted) return;
      retry = Number(frame.retry) || retry;
      if (frame.data) batch.take(parse(frame.data) as Arrived);
      else if (frame.id) batch.reach(frame.id);
    }
  }

  /** One poll. The first one does not wait: it may be late already. Returns the pause before the next one. */
  async function poll(batch: Batch, signal: AbortSignal): Promise<number> {
    const wait = hasPolled ? Math.ceil(timing.poll / 1000) : 0;
    const ask = async (body: object) => {
      const answer = await send({ ...body, wait }, "application/json", wait * 1000 + 2 * timing.first);
      return (await parseAnswer(answer)) as { data: Arrived[]; after: string };
    };
    const { data, after } = await ask(batch.body).catch(async (error: Partial<CrudError>) => {
      if (error.status !== 410) throw error;
      const { after } = await ask({ ...batch.body, after: undefined });
      return { data: [{ id: after, type: "reset" } as const], after };
    });
    if (signal.aborted) return 0;
    hear();
    hasPolled = true;
    data.forEach(batch.take);
    batch.reach(after);
    return retry / 10;
  }

  /** The connection delivers: it is alive, for now. */
  function hear(): void {
    heard = Date.now();
    expect(timing.silence);
  }

  /** Ends the connection unless it delivers within a time. */
  function expect(within: number): void {
    const expected = connection;
    clearTimeout(timer);
    timer = setTimeout(() => expected.abort(SILENT), within);
  }

  /** @throws CrudError of a failed request. */
  async function send(body: object, accept: string, within: number): Promise<Response> {
    expect(within);
    const headers = { accept, "content-type": "application/json" };
    const { signal } = connection;
    const answer = await fetch(`${url}/events`, { method: "POST", headers, body: stringify(body), signal });
    if (!answer.ok) await parseAnswer(answer);
    return answer;
  }

  /** A connection has failed. Returns the pause before the next one, if it is known. */
  function failed(error: unknown, batch: Batch, isUnheard: boolean): number | undefined {
    const { reason } = connection.signal;
    const isHeldBack = reason === SILENT && isUnheard;
    hasPolled = false;
    pollsUntil = isHeldBack ? Date.now() + timing.again : 0;
    if (isHeldBack) return 0;
    if (reason || !(error instanceof CrudError)) return undefined;
    if (error.status < 500 && !PASSING.includes(error.status)) return refuse(error, batch);
    const seconds = Number(error.headers.get("retry-after"));
    return seconds ? (seconds + Math.random()) * 1000 : undefined;
  }

  /** The views that the service refuses fail, or all of them if it does not say which. */
  function refuse(error: CrudError, batch: Batch): number {
    const places = error.problem.errors ?? [];
    const indexOf = ({ pointer = "" }) => Number(/^\/subscriptions\/(\d+)/.exec(pointer)?.[1]);
    const ended = places.flatMap((place) => batch.groups[indexOf(place)] ?? []);
    for (const view of ended) {
      views.delete(view);
      view.fail(error);
    }
    if (ended.length === 0) refused(error);
    return 0;
  }

  const pause = (time: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, time);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  return {
    add(view) {
      views.add(view);
      clearTimeout(soon);
      // A page adds its views one after the other: they share a connection.
      soon = setTimeout(() => {
        renew();
        if (!isRunning) void run();
      }, 10);
    },
    remove(view) {
      views.delete(view);
      if (views.size === 0) renew();
    },
    close() {
      views.clear();
      clearTimeout(soon);
      ended.abort();
      renew();
    },
  };
}
