import type { CrudError } from "../problem.js";
import { compareMarks, isAfter } from "./event.js";
import type { Arrived } from "./event.js";

/** A subscription: the records of a resource that satisfy a condition. */
export interface Asked {
  resource: string;
  where: object;
  /** The mark of its reader: events after it are new. `null` from now on. */
  mark: string | null;
}

/** A view that a reader follows. */
export interface View extends Asked {
  /** Called with each new event, and without one when the mark has moved by itself. */
  take(event?: Arrived): void;
  /** Called when the service refuses the view. */
  fail(error: CrudError): void;
}

/** The views of one connection. Equal views are one subscription, whose name is its place. */
export interface Batch {
  /** The body of a request for their events. */
  body: { after?: string | undefined; subscriptions: object[] };
  groups: View[][];
  /** The newest mark that has arrived. */
  newest(): string | null;
  /** An event has arrived. */
  take(event: Arrived): void;
  /** All events up to a mark have arrived. */
  reach(mark: string): void;
}

/** A batch of views. `reached` is the newest mark that the service is known to have. */
export function batchOf(views: Iterable<View>, reached: string | null): Batch {
  const all = [...views];
  const marks = all.flatMap(({ mark }) => mark ?? []).sort(compareMarks);
  const now = [...marks, ...(reached === null ? [] : [reached])].sort(compareMarks).at(-1) ?? null;
  for (const view of all) view.mark ??= now;
  const names = new Map<string, View[]>();
  for (const view of all) {
    const name = JSON.stringify([view.resource, view.where]);
    names.set(name, [...(names.get(name) ?? []), view]);
  }
  const groups = [...names.values()];
  const subscriptions = groups.map(([view], index) => {
    const { resource, where } = view!;
    // The service refuses an empty condition.
    return { name: `${index}`, resource, ...(Object.keys(where).length > 0 && { where }) };
  });
  let newest = marks[0] ?? now;

  /** Moves all views to a mark, never back. */
  function move(mark: string | null, moved: (view: View) => void = () => {}): void {
    for (const view of all) {
      if (mark === null || !isAfter(mark, view.mark)) continue;
      view.mark = mark;
      moved(view);
    }
  }

  return {
    body: { after: newest ?? undefined, subscriptions },
    groups,
    newest: () => newest,
    take(event) {
      const isReset = event.type === "reset";
      if (isReset || isAfter(event.id, newest)) {
        // Events of this id may be on their way to other views: those are known to have what came before.
        if (!isReset) move(newest);
        newest = event.id;
      }
      const { subscription } = event;
      for (const view of subscription === undefined ? all : (groups[Number(subscription)] ?? [])) {
        if (!isReset && !isAfter(event.id, view.mark)) continue;
        view.mark = event.id;
        view.take(event);
      }
    },
    reach(mark) {
      if (isAfter(mark, newest)) newest = mark;
      move(mark, (view) => view.take());
    },
  };
}
