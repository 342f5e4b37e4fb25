// The title of the browser's tab.

import { useEffect } from "../vendor/preact.js";
import { service } from "../schema.js";

/** Names the tab by what the page shows, before the name of the service. */
export function usePageTitle(text) {
  useEffect(() => {
    document.title = text ? `${text} · ${service.title}` : service.title;
    return () => {
      document.title = service.title;
    };
  }, [text]);
}
