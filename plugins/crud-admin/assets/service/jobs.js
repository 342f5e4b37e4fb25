// The jobs that are not done.

import { html, useEffect, useState } from "../vendor/preact.js";
import { call, get } from "../api.js";
import { Ago, count } from "../format.js";
import { write } from "../json.js";
import { go, parameter, withParameter } from "../router.js";
import { service } from "../schema.js";
import { useLoad } from "../ui/hooks.js";
import { Button, Dialog, Empty, Failure, Skeleton, ask, note, noteError } from "../ui/parts.js";
import { usePageTitle } from "../ui/title.js";

const JOBS_SHOWN = 50;
/** Milliseconds until jobs that run are asked for again. */
const RUNNING_AGAIN = 1_500;
const STATES = [["", "All"], ["waiting", "Waiting"], ["running", "Running"], ["dead", "Failed"]];
const STATE_TONES = { waiting: "plain", running: "busy", dead: "bad" };

export function Jobs({ query }) {
  usePageTitle("Jobs");
  const [shown, setShown] = useState(null);
  const state = parameter(query, "state");
  const skip = Number(parameter(query, "skip") || 0);
  const { data, error, isLate, isLoading, reload } = useLoad((signal) =>
    get(service.paths.jobs, [...query, ["limit", JOBS_SHOWN]], signal), [JSON.stringify(query)]);
  const page = data?.value;
  // A job that runs ends by itself: the page looks again.
  useEffect(() => {
    if (!page?.data.some(({ state }) => state === "running")) return undefined;
    const timer = setTimeout(reload, RUNNING_AGAIN);
    return () => clearTimeout(timer);
  }, [data]);
  const act = (job, name, words) => call("POST", `${service.paths.jobs}/${job.id}/${name}`).then(() => {
    note(`Job ${job.id} ${words}`);
    setShown(null);
    reload();
  }, noteError);
  const cancel = async (job) => {
    const text = "It is removed, and does not run again.";
    if (await ask(`Cancel job ${job.id}?`, text, "Cancel the job")) act(job, "cancel", "is cancelled");
  };
  const buttons = (job) => html`
    ${service.paths.retry && job.state !== "running"
      && html`<${Button} icon="restore" onClick=${() => act(job, "retry", "is queued")}>
        ${job.state === "dead" ? "Retry" : "Run now"}<//>
      <${Button} icon="delete" label=${`Cancel job ${job.id}`} kind="quiet" onClick=${() => cancel(job)} />`}`;
  return html`
    <header class="head">
      <div class="titles"><h1>Jobs${page && html` <span class="total">${count(page.total)}</span>`}</h1>
        <p class="muted">Work that waits, runs or has failed.</p></div>
      <div class="actions"><${Button} icon="restore" busy=${isLoading && page} onClick=${reload}>Refresh<//></div>
      </header>
    <div class="toolbar"><div class="segments" role="group" aria-label="State">${STATES.map(([name, text]) => html`
      <button type="button" key=${name} aria-pressed=${state === name}
        onClick=${() => go("/~jobs", withParameter(query, "state", name))}>${text}</button>`)}</div></div>
    <section class="card list">
      ${error ? html`<${Failure} error=${error} retry=${reload} />` : !page ? isLate && html`<${Skeleton} />`
        : page.data.length === 0
          ? html`<${Empty} icon="jobs" title=${state === "dead" ? "No job has failed" : "No job waits"}>
            ${state ? "Jobs of other states are under All."
              : "Jobs are here from when they are enqueued until they are done."}<//>`
        : html`<div class="scroller" tabindex="0" role="region" aria-label="Jobs"><table>
            <thead><tr><th scope="col">Job</th><th scope="col">State</th><th scope="col">Next run</th>
              <th scope="col" class="amount">Attempts</th><th scope="col">Last error</th>
              <th><span class="sr">Actions</span></th></tr></thead>
            <tbody>${page.data.map((job) => html`
              <tr key=${job.id}>
                <td data-label="Job">
                  <span class="value">
                    <button type="button" class="link name" onClick=${() => setShown(job)}>
                      ${job.kind} ${job.id}</button></span></td>
                <td data-label="State">
                  <span class="value">
                    <span class="badge" data-tone=${STATE_TONES[job.state]}>
                      ${STATES.find(([name]) => name === job.state)?.[1] ?? job.state}</span></span></td>
                <td data-label="Next run">
                  <span class="value">${job.state === "dead" ? "–" : html`<${Ago} value=${job.run_at} />`}</span></td>
                <td data-label="Attempts" class="amount"><span class="value">${job.attempts}</span></td>
                <td data-label="Last error"><span class="value">${job.last_error ?? "–"}</span></td>
                <td class="acts">${buttons(job)}</td></tr>`)}</tbody></table></div>
          ${page.total > JOBS_SHOWN
            && html`<nav class="pages" aria-label="Pages">
              <span class="range">
                ${count(skip + 1)}–${count(skip + page.data.length)} <span class="muted">of ${count(page.total)}</span>
                </span>
            <${Button} icon="back" label="Previous page" disabled=${skip === 0}
              onClick=${() => go("/~jobs", withParameter(query, "skip", Math.max(0, skip - JOBS_SHOWN) || ""))} />
            <${Button} icon="next" label="Next page" disabled=${skip + page.data.length >= page.total}
              onClick=${() => go("/~jobs", withParameter(query, "skip", skip + JOBS_SHOWN))} /></nav>`}`}
    </section>
    ${shown && html`
      <${Dialog} title=${`${shown.kind} ${shown.id}`} onClose=${() => setShown(null)} footer=${buttons(shown)}>
        <dl class="facts">
          <div><dt>State</dt><dd>${shown.state}</dd></div>
          <div><dt>Enqueued</dt><dd><${Ago} value=${shown.created_at} /></dd></div>
          <div><dt>Attempts</dt><dd>${shown.attempts}</dd></div>
          ${shown.last_error && html`<div><dt>Last error</dt><dd>${shown.last_error}</dd></div>`}
        </dl>
        <h3>Payload</h3><pre class="code">${write(shown.payload, "  ")}</pre>
      <//>`}`;
}
