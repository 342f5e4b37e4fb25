import { problem } from "../problem.js";
import type { CrudError } from "../problem.js";
import type { Asked, View } from "./batch.js";
import type { Arrived } from "./event.js";
import { openFeed } from "./feed.js";
import type { Source } from "./feed.js";
import { openAlone } from "./hub.js";
import type { Hub } from "./hub.js";
import type { openShared } from "./tabs.js";

/** The events of a service, by one stream for all readers of a browser. */
export interface Events {
  /** The new events of a view, as they come, until the signal is aborted. */
  follow(asked: Asked, signal?: AbortSignal): AsyncGenerator<Arrived[]>;
  /** The session has changed. If its user has other rights now, all readers get a `reset`; if it is another user's, they end. */
  end(isSameUser: boolean): void;
}

const ENDED = problem(401, "session_ended", "Unauthorized", "the session has ended");
const RENEWED = problem(401, "renewed", "");

/** The bound of the queue of a slow reader, which gets a `reset` in place of more events. */
const MOST = 10_000;

/** `share` names the user: tabs of equal names share a stream, by what `tabs` has. `null` shares none. */
export function createEvents(
  source: Source,
  share: () => string | null,
  tabs: () => typeof openShared | undefined,
): Events {
  let hub: Hub | null = null;

  function open(): Hub {
    const user = share();
    const { location } = globalThis;
    const service = location ? new URL(source.url, location.href).href : source.url;
    const ended = () => {
      if (hub === opened) hub = null;
    };
    const shared = user === null ? undefined : tabs();
    const opened: Hub = shared ? shared(source, `${service} ${user}`, ended, openFeed) : openAlone(source, ended);
    return (hub = opened);
  }

  return {
    async *follow(asked, signal) {
      let waiting: Arrived[] = [];
      let failure: CrudError | undefined;
      let wake = () => {};
      const view: View = {
        ...asked,
        take(event) {
          if (!event) return;
          if (waiting.length < MOST) waiting.push(event);
          else waiting = [{ id: event.id, type: "reset" }];
          wake();
        },
        fail(error) {
          failure = error;
          wake();
        },
      };
      if (signal?.aborted) return;
      const left = new AbortController();
      signal?.addEventListener("abort", () => wake(), left);
      let leave = (hub ?? open()).add(view);
      try {
        for (;;) {
          if (waiting.length === 0 && !failure) await new Promise<void>((resolve) => (wake = resolve));
          if (failure === RENEWED) {
            failure = undefined;
            view.mark = null;
            waiting = [{ id: "", type: "reset" }];
            leave = (hub ?? open()).add(view);
          }
          if (failure) throw failure;
          if (signal?.aborted) return;
          const events = waiting;
          waiting = [];
          yield events;
        }
      } finally {
        leave();
        left.abort();
      }
    },
    end: (isSameUser) => hub?.close(isSameUser ? RENEWED : ENDED),
  };
}
