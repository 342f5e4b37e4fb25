// The page's place, in the fragment of its URL: `#/products?price__gte=5&sort=-name`. Servers and logs do not see it.

import { useEffect, useState } from "./vendor/preact.js";

function readPlace() {
  const [path = "", query = ""] = location.hash.replace(/^#/, "").split("?", 2);
  return { path: path || "/", query: [...new URLSearchParams(query)], whole: location.hash };
}

/** The text of a place. */
export function href(path, query = []) {
  const text = new URLSearchParams(query.filter(([, value]) => value !== "" && value != null)).toString();
  return `#${path}${text && `?${text}`}`;
}

let guard = null;
let shown = location.hash;

/** Asks before the page leaves a place: a promise of `true` from `mayLeave` lets it. */
export function guardLeaving(mayLeave) {
  guard = mayLeave;
  return () => {
    if (guard === mayLeave) guard = null;
  };
}

export const go = (path, query) => {
  location.hash = href(path, query);
};

/** Goes to a place without a step in the history: for what is typed. */
export function replace(path, query) {
  history.replaceState(null, "", href(path, query));
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute() {
  const [route, setRoute] = useState(readPlace);
  useEffect(() => {
    const changed = () => {
      const before = readPlace();
      const isOther = before.path !== pathOf(shown);
      if (isOther && guard) {
        const wanted = location.hash;
        history.replaceState(null, "", shown || "#/");
        guard().then((mayLeave) => {
          if (!mayLeave) return;
          guard = null;
          location.hash = wanted;
        });
        return;
      }
      shown = location.hash;
      setRoute(readPlace());
    };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}

/** Ends the guard: what it has guarded is saved. */
export function leaveFreely() {
  guard = null;
}

const pathOf = (hash) => hash.replace(/^#/, "").split("?", 1)[0] || "/";

/** The value of a parameter. */
export const parameter = (query, name) => query.find(([other]) => other === name)?.[1] ?? "";

/**
 * The parameters with another value of one; an empty one is left out. Pages begin anew unless the change is one of
 * pages.
 */
export function withParameter(query, name, value) {
  const rest = query.filter(([other]) => other !== name && (other !== "skip" || name === "limit"));
  return value === "" || value == null ? rest : [...rest, [name, String(value)]];
}
