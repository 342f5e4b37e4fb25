import { CrudError } from "../problem.js";
import type { Problem } from "../problem.js";
import type { Asked, View } from "./batch.js";
import type { Arrived } from "./event.js";
import type { Feed, Source, openFeed } from "./feed.js";
import type { Hub } from "./hub.js";

/** A view of another tab, under the number that it has there. */
type Wanted = [number: number, asked: Asked];

/** An event, or a mark alone, for views of other tabs. */
interface Told {
  to: [tab: string, number: number][];
  mark: string | null;
  event: Arrived | undefined;
}

/** A message between tabs: those with views `ask` which tab has the stream, it answers that it does (`lead`), and learns
 * what they `want`. */
type Content =
  | { kind: "ask" | "lead" }
  | { kind: "want"; views: Wanted[] }
  | { kind: "tell"; told: Told[] }
  | { kind: "fail"; number: number; problem: Problem };

/** To all tabs, unless it names one. */
type Message = Content & { from: string; to?: string | undefined };

/**
 * A hub of tabs with equal names, `share`, which have one stream. `ended` is called when the hub has ended: a new one is needed.
 *
 * The tab that holds the lock `stream` has the stream. Each tab holds a lock of its own name too: who waits for it learns that
 * the tab is gone.
 */
export function openShared(source: Source, share: string, ended: () => void, open: typeof openFeed): Hub {
  const { locks } = globalThis.navigator;
  const channel = new BroadcastChannel(`crud-events ${share}`);
  const tab = `${Date.now()}.${Math.random()}`;
  const views = new Set<View>();
  /** Views of other tabs, which this one follows for them. */
  const others = new Map<string, Map<number, View>>();
  const outbox: Told[] = [];
  let feed: Feed | null = null;
  /** The tab that has the stream, where that is another one. */
  let leader: string | null = null;
  /** The views by the numbers that the leader knows. Another leader gets others: what the last one says late is for none. */
  let numbers = new Map<number, View>();
  let number = 0;
  /** The number of questions that the leader has not answered. */
  let silent = 0;
  /** Ends the stream of this tab, or its wait for one. */
  let turn = new AbortController();
  let isClosed = false;
  let leave = () => {};
  let timer: ReturnType<typeof setInterval> | undefined;

  /** Opens a stream for the views of this tab. */
  function lead(): void {
    leader = null;
    feed = open(source, close);
    views.forEach(feed.add);
  }

  function close(error?: CrudError): void {
    if (isClosed) return;
    isClosed = true;
    feed?.close();
    turn.abort();
    leave();
    clearInterval(timer);
    channel.close();
    ended();
    if (error) for (const view of views) view.fail(error);
    views.clear();
  }

  const hold = (name: string, options: LockOptions, work: () => unknown): Promise<unknown> =>
    locks.request(`crud-events ${share} ${name}`, options, async () => work());

  /** Shares a stream. */
  function join(): void {
    send({ kind: "ask" });
    queue();
    timer = setInterval(check, source.timing.check);
  }

  /** Waits for the stream, or takes it from a tab that is frozen. */
  function queue(steal = false): void {
    turn.abort();
    const { signal } = (turn = new AbortController());
    const first = () => {
      if (signal.aborted) return;
      lead();
      send({ kind: "lead" });
      return new Promise((resolve) => signal.addEventListener("abort", resolve));
    };
    // Another tab takes the stream when this one did not answer.
    const lost = () => {
      if (signal.aborted) return;
      feed?.close();
      feed = null;
      others.clear();
      send({ kind: "ask" });
      queue();
    };
    hold("stream", steal ? { steal } : { signal }, first).then(lost, lost);
  }

  /** A tab that a person looks at does not wait for one that the browser has frozen. */
  function check(): void {
    if (feed || globalThis.document?.hidden) return;
    if (++silent > 2) {
      silent = 0;
      queue(true);
    } else send({ kind: "ask" });
  }

  function send(content: Content, to?: string): void {
    if (!isClosed) channel.postMessage({ ...content, from: tab, to });
  }

  /** Tells the leader all views of this tab. */
  function want(): void {
    if (leader === null) return;
    numbers = new Map([...numbers].filter(([, view]) => views.has(view)));
    const all = [...numbers].map(([number, { resource, where, mark }]): Wanted => [number, { resource, where, mark }]);
    send({ kind: "want", views: all }, leader);
  }

  function hear(message: Message): void {
    const { from, to = tab, kind } = message;
    if (to !== tab) return;
    if (feed) {
      if (kind === "ask") send({ kind: "lead" }, from);
      if (kind === "want") follow(from, message.views);
      return;
    }
    if (kind === "lead" || from === leader) silent = 0;
    if (kind === "lead" && from !== leader) {
      leader = from;
      numbers = new Map([...views].map((view) => [++number, view]));
      want();
    }
    if (from !== leader) return;
    if (kind === "fail") numbers.get(message.number)?.fail(new CrudError(message.problem));
    if (kind === "tell") message.told.forEach(learn);
  }

  function learn({ to, mark, event }: Told): void {
    for (const [name, number] of to) {
      const view = name === tab && numbers.get(number);
      if (!view) continue;
      view.mark = mark;
      view.take(event);
    }
  }

  /** Follows the views of another tab, until it wants others or is gone. */
  function follow(from: string, wanted: Wanted[]): void {
    const before = others.get(from);
    const after = new Map(wanted.map(([number, asked]) => [number, before?.get(number) ?? viewOf(from, number, asked)]));
    others.set(from, after);
    before?.forEach((view, number) => after.has(number) || feed?.remove(view));
    after.forEach((view, number) => before?.has(number) || feed?.add(view));
    if (before) return;
    const gone = () => {
      others.get(from)?.forEach((view) => feed?.remove(view));
      others.delete(from);
    };
    hold(from, { signal: turn.signal }, gone).catch(() => {});
  }

  /** A view of another tab. What arrives at once is one message. */
  function viewOf(from: string, number: number, asked: Asked): View {
    const view: View = {
      ...asked,
      take(event) {
        if (outbox.length === 0) queueMicrotask(() => send({ kind: "tell", told: outbox.splice(0) }));
        const last = outbox.at(-1);
        if (last?.mark === view.mark && last.event === event) last.to.push([from, number]);
        else outbox.push({ to: [[from, number]], mark: view.mark, event });
      },
      fail: ({ problem }) => send({ kind: "fail", number, problem }, from),
    };
    return view;
  }

  channel.onmessage = ({ data }) => hear(data as Message);
  const alive = () => {
    if (isClosed) return;
    join();
    return new Promise<void>((resolve) => (leave = resolve));
  };
  // A frame without an origin has locks that it may not use.
  hold(tab, {}, alive).catch(() => isClosed || lead());

  return {
    add(view) {
      views.add(view);
      numbers.set(++number, view);
      feed?.add(view);
      want();
      return () => {
        if (!views.delete(view)) return;
        feed?.remove(view);
        want();
        if (views.size === 0) close();
      };
    },
    close,
  };
}
