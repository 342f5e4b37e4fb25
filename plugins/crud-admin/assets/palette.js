// The palette: by one key to a resource, a record or an action.

import { html, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "./vendor/preact.js";
import { find } from "./record/picker.js";
import { go } from "./router.js";
import { keyOf, menuResources, recordPath, titleOf } from "./schema.js";
import { useLoad, useSettled } from "./ui/hooks.js";
import { Icon } from "./ui/icon.js";

/** How many resources are searched for records. */
const RESOURCES = 6;
const RECORDS = 4;

const canSearch = (resource) =>
  resource.may.has("list") && resource.may.has("get") &&
  (resource.search || resource.byName.get(resource.title)?.ops?.includes("icontains"));

async function records(words, signal) {
  if (words.length < 2) return [];
  const resources = menuResources().filter(canSearch).slice(0, RESOURCES);
  const found = await Promise.all(resources.map((resource) => find(resource, words, signal).then(
    (records) => records.slice(0, RECORDS).map((record) => ({ resource, record })), () => [])));
  return found.flat().map(({ resource, record }) => ({
    id: `${resource.name} ${keyOf(resource, record)}`, icon: "table", text: titleOf(resource, record),
    hint: resource.one,
    run: () => go(recordPath(resource, keyOf(resource, record))),
  }));
}

/** Whether the letters of some words begin those of a text, or are in it. */
const fits = (words, text) => words.split(/\s+/).every((word) => text.toLowerCase().includes(word.toLowerCase()));

export function Palette({ commands, close }) {
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const ref = useRef();
  const id = useId();
  const words = useSettled(text.trim(), 150);
  const { data: found } = useLoad((signal) => records(words, signal), [words]);
  const own = useMemo(() => commands.filter(({ text: label }) => fits(text.trim(), label)), [text]);
  const all = [...own.slice(0, text ? 8 : 12), ...(text.trim().length > 1 ? found ?? [] : [])];
  // Before the next frame: what is typed at once belongs here.
  useLayoutEffect(() => {
    const before = /** @type {HTMLElement} */ (document.activeElement);
    ref.current.showModal();
    return () => before?.focus?.();
  }, []);
  useEffect(() => setActive(0), [text]);
  useEffect(() => {
    ref.current.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const run = (command) => {
    close();
    command?.run();
  };
  const pressed = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setActive((active + step + all.length) % Math.max(1, all.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(all[active]);
    }
  };
  return html`
    <dialog ref=${ref} class="palette" aria-label="Go to" onCancel=${(event) => { event.preventDefault(); close(); }}
      onPointerDown=${(event) => event.target === ref.current && close()}>
      <div class="sheet">
        <label class="search"><${Icon} name="search" /><span class="sr">Go to a resource, a record or an action</span>
          <input role="combobox" aria-expanded="true" aria-controls=${id}
            aria-activedescendant=${all[active] ? `${id}-${active}` : undefined} autocomplete="off" autofocus
            placeholder="Go to a resource, a record or an action" value=${text}
            onInput=${(event) => setText(event.target.value)} onKeyDown=${pressed} /></label>
        <ul id=${id} role="listbox" aria-label="Places and actions">
          ${all.map((command, index) => html`
            <li key=${command.id} id=${`${id}-${index}`} role="option" aria-selected=${index === active}
              onPointerMove=${() => setActive(index)} onClick=${() => run(command)}>
              <${Icon} name=${command.icon} /><span><bdi>${command.text}</bdi></span><small>${command.hint}</small>
              </li>`)}
        </ul>
        ${all.length === 0 && html`<p class="muted hint">Nothing is called so.</p>`}
        <footer class="keys"><span><kbd>↑</kbd><kbd>↓</kbd> choose</span><span><kbd>↵</kbd> open</span>
          <span><kbd>esc</kbd> close</span></footer>
      </div>
    </dialog>`;
}
