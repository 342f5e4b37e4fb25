// The choice of a record: twenty at a time, by words, never all.

import { html, useEffect, useId, useRef, useState } from "../vendor/preact.js";
import { get } from "../api.js";
import { learn, useTitle } from "../lookup.js";
import { href } from "../router.js";
import { keyOf, recordPath, resourceNamed, titleOf } from "../schema.js";
import { useLoad, useOutside, useSettled } from "../ui/hooks.js";
import { Icon } from "../ui/icon.js";

const OPTIONS_SHOWN = 20;

/** The parameters that find records by words. */
function wordsQuery(resource, words) {
  const page = resource.page ? [["limit", Math.min(OPTIONS_SHOWN, resource.page.max)]] : [];
  if (!words) return page;
  const title = resource.title && resource.byName.get(resource.title);
  const key = resource.byName.get(resource.key[0]);
  if (key?.kind === "int" && /^\d+$/.test(words) && key.ops?.includes("eq")) return [[key.name, words], ...page];
  if (resource.search) return [["q", words], ...page];
  if (title?.ops?.includes("icontains")) return [[`${title.name}__icontains`, words], ...page];
  return null;
}

/** The first records that fit some words. */
export async function find(resource, words, signal) {
  const query = wordsQuery(resource, words);
  const { value } = await get(resource.path, query ?? wordsQuery(resource, ""), signal);
  const all = value.data ?? value;
  learn(resource, all);
  if (query) return all.slice(0, OPTIONS_SHOWN);
  // A resource that cannot be searched: the words choose among the first page.
  return all.filter((record) => titleOf(resource, record).toLowerCase().includes(words.toLowerCase()))
    .slice(0, OPTIONS_SHOWN);
}

/** A field with a list of the records that fit what is typed. `value` is a key. */
export function Picker({ id, name, value, onChange, label, describedBy, invalid, disabled, required, autofocus,
  resource: name_ }) {
  const resource = resourceNamed(name_);
  const title = useTitle(name_, value ?? null);
  const isSet = value !== null && value !== undefined && value !== "";
  const shown = isSet ? title ?? `${resource?.one ?? name_} ${value}` : "";
  const [text, setText] = useState(null);
  const [active, setActive] = useState(0);
  const ref = useRef();
  const listId = useId();
  const words = useSettled(text ?? "", 200).trim();
  const isOpen = text !== null;
  const { data, isLoading, error } = useLoad((signal) => (isOpen && resource ? find(resource, words, signal) : []),
    [isOpen, words]);
  const options = data ?? [];
  useOutside(ref, isOpen, () => setText(null));
  useEffect(() => setActive(0), [data]);
  useEffect(() => {
    if (isOpen) ref.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [active, isOpen]);

  const choose = (record) => {
    onChange(record ? record[resource.key[0]] : null, record);
    setText(null);
  };
  const pressed = (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!isOpen) setText("");
      else setActive((active + (event.key === "ArrowDown" ? 1 : options.length - 1)) % Math.max(1, options.length));
    } else if (event.key === "Enter" && isOpen) {
      event.preventDefault();
      if (options[active]) choose(options[active]);
    } else if ((event.key === "Backspace" || event.key === "Delete") && isSet && !isOpen && !required) {
      event.preventDefault();
      choose(null);
    } else if (event.key === "Tab") {
      setText(null);
    }
  };
  if (!resource || !resource.may.has("list") || resource.key.length !== 1) {
    return html`<input id=${id} name=${name} value=${value ?? ""} disabled=${disabled} aria-describedby=${describedBy}
      aria-invalid=${invalid}
      onInput=${(event) => onChange(event.target.value === "" ? null : event.target.value)} />`;
  }
  return html`
    <div class="picker" ref=${ref}>
      <input id=${id} name=${name} role="combobox" aria-expanded=${isOpen} aria-controls=${listId}
        aria-autocomplete="list"
        aria-activedescendant=${isOpen && options[active] ? `${listId}-${active}` : undefined} autocomplete="off"
        aria-label=${label} aria-describedby=${describedBy} aria-invalid=${invalid} aria-required=${required}
        disabled=${disabled}
        autofocus=${autofocus} placeholder=${isSet ? shown : `Search ${resource.label.toLowerCase()}`}
        value=${text ?? shown}
        onFocus=${(event) => event.target.select()} onClick=${() => setText(text ?? "")}
        onInput=${(event) => setText(event.target.value)} onKeyDown=${pressed} />
      ${isSet && !isOpen && resource.may.has("get")
        && html`<a class="open" href=${href(recordPath(resource, String(value)))} aria-label=${`Open ${shown}`}
          title="Open"><${Icon} name="next" /></a>`}
      <div class="popover start options" hidden=${!isOpen}>
        <ul id=${listId} role="listbox" aria-label=${resource.label} class=${isLoading ? "stale" : ""}>
          ${isOpen && !required && isSet
            && html`<li role="option" aria-selected="false" class="none"
              onPointerDown=${(event) => { event.preventDefault(); choose(null); }}>None</li>`}
          ${isOpen && options.map((record, index) => html`
            <li key=${keyOf(resource, record)} id=${`${listId}-${index}`} role="option"
              aria-selected=${index === active}
              onPointerMove=${() => setActive(index)}
              onPointerDown=${(event) => { event.preventDefault(); choose(record); }}>
              <bdi>${titleOf(resource, record)}</bdi><small>${keyOf(resource, record)}</small></li>`)}
        </ul>
        ${isOpen && !isLoading && options.length === 0
          && html`<p class="muted hint">${error ? error.message : "Nothing fits these words."}</p>`}
        ${isOpen && options.length === OPTIONS_SHOWN
          && html`<p class="muted hint">The first ${OPTIONS_SHOWN}: type to find others.</p>`}
      </div>
    </div>`;
}
