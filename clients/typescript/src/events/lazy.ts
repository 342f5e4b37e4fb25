import type { Fetch } from "../session.js";
import type { Events } from "./events.js";
import type { EventTiming } from "./timing.js";

/** What a program loads to follow events. */
export type LoadedEvents = typeof import("./index.js") & { events: Events };

/** The events of a service, and what reads them: loaded when a program listens. */
export interface LazyEvents {
  load(): Promise<LoadedEvents>;
  /** As {@link Events.end}. */
  end(isSameUser: boolean): void;
}

export function lazyEvents(
  source: { url: string; fetch: Fetch; timing: Partial<EventTiming> },
  share: () => string | null,
): LazyEvents {
  let events: Events | undefined;
  let tabs: typeof import("./tabs.js") | undefined;
  return {
    async load() {
      const canShare = share() !== null && globalThis.BroadcastChannel && globalThis.navigator?.locks;
      const [module, loaded] = await Promise.all([import("./index.js"), canShare ? import("./tabs.js") : tabs]);
      tabs = loaded;
      const timing = { ...module.TIMING, ...source.timing };
      events ??= module.createEvents({ ...source, timing }, share, () => tabs?.openShared);
      return { ...module, events };
    },
    end: (isSameUser) => events?.end(isSameUser),
  };
}
