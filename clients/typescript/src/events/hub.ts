import type { CrudError } from "../problem.js";
import type { View } from "./batch.js";
import { openFeed } from "./feed.js";
import type { Source } from "./feed.js";

/** The views of a tab, and the stream that they come by: the tab's, or that of another tab of the same user. */
export interface Hub {
  /** Follows a view until the returned function is called. */
  add(view: View): () => void;
  /** Ends the hub, and fails the views that it has. */
  close(error?: CrudError): void;
}

/** A hub with a stream for itself. `ended` is called when it has ended: a new one is needed. */
export function openAlone(source: Source, ended: () => void): Hub {
  const views = new Set<View>();
  const feed = openFeed(source, close);

  function close(error?: CrudError): void {
    feed.close();
    ended();
    if (error) for (const view of views) view.fail(error);
    views.clear();
  }

  return {
    add(view) {
      views.add(view);
      feed.add(view);
      return () => {
        if (!views.delete(view)) return;
        feed.remove(view);
        if (views.size === 0) close();
      };
    },
    close,
  };
}
