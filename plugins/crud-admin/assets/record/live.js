// A record that others change while it is open. What a person has typed stays.

import { html, useEffect, useState } from "../vendor/preact.js";
import { get } from "../api.js";
import { isSame } from "../json.js";
import { conditionOfRecord, useChanges } from "../live.js";
import { recordPath } from "../schema.js";
import { Button } from "../ui/parts.js";
import { Actor } from "./history.js";

/** The time for which the sign of a change stays, in milliseconds. */
const SHOWN = 8_000;

/** The newest entry of a record's history; nothing where the caller sees none. */
async function lastEntry(resource, recordKey, signal) {
  if (!resource.audit || !resource.may.has("history")) return null;
  const query = [["sort", "-timestamp"], ["limit", 1]];
  const { value } = await get(`${recordPath(resource, recordKey)}/history`, query, signal);
  return value.data[0] ?? null;
}

/** The fields that two versions of a record have with other values, but for the service's own times. */
const fieldsOfChange = (resource, one, other) => resource.fields.filter(({ name, role, write_only: isHidden }) =>
  !isHidden && !["updated_at", "created_at"].includes(role) && !isSame(one[name] ?? null, other[name] ?? null));

/**
 * Follows an open record. Returns what others have changed: `theirs`, a version that is not shown while a person types,
 * or the fields of one that is. `isTyping` says whether there is input that must stay.
 *
 * @param {{ resource: any, recordKey: string, data: any, load: any, set: any, isTyping: () => boolean }} record
 */
export function useLiveRecord({ resource, recordKey, data, load, set, isTyping }) {
  const [news, setNews] = useState(null);
  useEffect(() => setNews(null), [resource.path, recordKey]);
  // A version that has been saved since is the record.
  useEffect(() => {
    if (!news) return undefined;
    if (news.theirs && data && isSame(news.theirs.record, data.record)) setNews(null);
    if (news.theirs || news.isGone) return undefined;
    const timer = setTimeout(() => setNews(null), SHOWN);
    return () => clearTimeout(timer);
  }, [news, data]);
  const changed = async (signal) => {
    const next = await load(signal).catch((error) => {
      if (error.status !== 404) throw error;
      return null;
    });
    if (signal.aborted || (next && isSame(next.record, data.record))) return;
    if (!next) return setNews({ isGone: true, fields: [], entry: null });
    const fields = fieldsOfChange(resource, next.record, data.record);
    const entry = await lastEntry(resource, recordKey, signal).catch(() => null);
    if (signal.aborted) return;
    setNews({ theirs: isTyping() ? next : null, fields, entry });
    if (!isTyping()) set(next);
  };
  useChanges(resource, data && conditionOfRecord(resource, data.record), data, changed);
  return [news, setNews];
}

/** Says what others have changed, and leads to a comparison where that is not shown yet. */
export function News({ news, compare }) {
  const names = news?.fields.map(({ label }) => label).join(", ");
  return html`
    <div role="status" class="news">${news && html`<p class="alert mild">${news.isGone
      ? "This record has been removed, or left what you may see."
      : html`<span>Changed by ${news.entry ? html`<${Actor} entry=${news.entry} />` : "someone else"}
        ${names && `: ${names}`}.</span>`}
      ${news.theirs && html`<${Button} kind="quiet" onClick=${() => compare(news.theirs)}>Compare<//>`}</p>`}</div>`;
}
