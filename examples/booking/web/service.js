// The service: its client, whether it can be reached, and what it refuses as sentences.

import { CrudError, createCrud, createSession } from "./vendor/crud.js";

const session = createSession("", { storage: "session", logout: true });

/** Whether the last request found the service, and since when. Has the event `change`. */
export const connection = Object.assign(new EventTarget(), { isUp: true, since: Date.now() });

function heard(isUp) {
  if (isUp === connection.isUp) return;
  Object.assign(connection, { isUp, since: Date.now() });
  connection.dispatchEvent(new Event("change"));
  if (!isUp) setTimeout(ask, 2_000);
}

/** Asks until the service answers. */
async function ask() {
  const answer = await globalThis.fetch("/ready").catch(() => null);
  if (answer?.ok) heard(true);
  else setTimeout(ask, 2_000);
}

async function fetch(url, init) {
  try {
    const answer = await session.fetch(url, init);
    heard(![502, 503, 504].includes(answer.status));
    return answer;
  } catch (error) {
    if (!init?.signal?.aborted) heard(false);
    throw error;
  }
}
addEventListener("offline", () => heard(false));

export const crud = createCrud("", { session: { ...session, fetch } });

/** What was refused, as a sentence. */
export function sentence(error) {
  if (!(error instanceof CrudError)) {
    if (connection.isUp) reportError(error);
    return "The service cannot be reached. Nothing was saved.";
  }
  const { code, detail, errors = [] } = error.problem;
  if (code === "precondition_failed") return "Someone else has just changed this booking. You see it as it is now.";
  if (code === "permission_denied") return "You may not do this.";
  const place = ({ pointer = "" }) => pointer.slice(1).replaceAll("_", " ");
  return errors.map((one) => `${[place(one), one.detail].filter(Boolean).join(" ")}.`).join(" ") || detail;
}

/** The key of the booking that has the time: `""` if the user may not see it, `null` if none has. */
export function takenBy(error) {
  const other = error.problem?.errors?.find(({ code }) => code === "overlaps");
  return other ? (other.params?.id ?? "") : null;
}
