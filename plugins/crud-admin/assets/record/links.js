// The records that a junction links to one, changed one by one.

import { html, useState } from "../vendor/preact.js";
import { call, get } from "../api.js";
import { count } from "../format.js";
import { href } from "../router.js";
import { keyOf, recordPath, resourceNamed, titleOf } from "../schema.js";
import { useLoad } from "../ui/hooks.js";
import { Icon } from "../ui/icon.js";
import { Button, Failure, Skeleton, noteError } from "../ui/parts.js";
import { Picker } from "./picker.js";
import { newKey } from "./save.js";

/** Number of links before the reader asks for all. */
const LINKS_SHOWN = 50;

export function Links({ resource, record, links }) {
  const target = resourceNamed(links.resource);
  const path = `${recordPath(resource, keyOf(resource, record))}/${links.name}`;
  const { data, error, isLate, reload } = useLoad((signal) => get(path, null, signal), [path]);
  const [isAdding, setAdding] = useState(false);
  const [isAll, setAll] = useState(false);
  const linked = data?.value.data ?? (Array.isArray(data?.value) ? data.value : []);
  const shown = isAll ? linked : linked.slice(0, LINKS_SHOWN);
  const headers = () => (resource.idempotent ? { "idempotency-key": newKey() } : {});
  const add = async (_, chosen) => {
    setAdding(false);
    const parts = target.key.map((name) => [name, chosen[name]]);
    const id = parts.length === 1 ? parts[0][1] : Object.fromEntries(parts);
    await call("POST", path, { body: { ids: [id] }, headers: headers() }).then(reload, noteError);
  };
  const remove = (other) =>
    call("DELETE", `${path}/${encodeURIComponent(keyOf(target, other))}`, { headers: headers() })
      .then(reload, noteError);
  const chip = (other) => html`
    <span class="chip" key=${keyOf(target, other)}>
      <a class="chip-text" href=${href(recordPath(target, keyOf(target, other)))}><bdi>${titleOf(target, other)}</bdi>
      </a>
      ${links.remove && html`<button type="button" class="chip-close" aria-label=${`Remove ${titleOf(target, other)}`}
        onClick=${() => remove(other)}><${Icon} name="close" /></button>`}
    </span>`;
  return html`
    <section class="card links" aria-label=${links.label}>
      <header><h2>${links.label}${data && html` <span class="total">${count(linked.length)}</span>`}</h2></header>
      ${error ? html`<${Failure} error=${error} retry=${reload} />` : isLate ? html`<${Skeleton} lines=${1} />` : null}
      <div class="chips">
        ${shown.map(chip)}
        ${shown.length < linked.length
          && html`<${Button} onClick=${() => setAll(true)}>Show all ${count(linked.length)}<//>`}
        ${links.add && (isAdding
          ? html`<div class="add"><${Picker} resource=${links.resource} value=${null} onChange=${add}
              label=${`Add to ${links.label.toLowerCase()}`} autofocus /></div>`
          : html`<${Button} icon="add" onClick=${() => setAdding(true)}>Add<//>`)}
        ${data && linked.length === 0 && !links.add && html`<span class="muted">None.</span>`}
      </div>
    </section>`;
}
