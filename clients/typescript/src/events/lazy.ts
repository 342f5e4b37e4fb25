import type { Fetch } from "../session.js";
import type { Events } from "./events.js";
import type { EventTiming } from "./timing.js";

type Module = typeof import("./index.js");

/** The events of a service, and what reads them: loaded when a program listens. */
export interface LazyEvents {
  load(): Promise<Module & { events: Events }>;
  /** As {@link Events.end}. */
  end(isSameUser: boolean): void;
}

export function lazyEvents(
  source: { url: string; fetch: Fetch; timing: Partial<EventTiming> },
  share: () => string | null,
): LazyEvents {
  let events: Events | undefined;
  return {
    async load() {
      const module = await import("./index.js");
      events ??= module.createEvents({ ...source, timing: { ...module.TIMING, ...source.timing } }, share);
      return { ...module, events };
    },
    end: (isSameUser) => events?.end(isSameUser),
  };
}
