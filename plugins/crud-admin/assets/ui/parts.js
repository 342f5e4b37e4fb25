// Small parts: buttons, menus, dialogs, notes, and what is shown while something loads or where nothing is.

import { html, useId, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { useOutside } from "./hooks.js";
import { Icon } from "./icon.js";

/** A button. Without a text, its label is for screen readers and its tooltip. */
export function Button({ icon, children, label, kind = "", busy, disabled, ...rest }) {
  const only = label && !children;
  return html`
    <button type="button" class=${`button ${kind} ${only ? "only" : ""}`} aria-label=${only ? label : undefined}
      title=${only ? label : undefined} aria-busy=${busy ? "true" : undefined} disabled=${disabled || busy} ...${rest}>
      ${icon && html`<${Icon} name=${icon} />`}${children && html`<span>${children}</span>`}
    </button>`;
}

/** A link that looks like a button. */
export function LinkButton({ icon, children, label, kind = "", ...rest }) {
  const only = label && !children;
  return html`
    <a class=${`button ${kind} ${only ? "only" : ""}`} aria-label=${only ? label : undefined}
      title=${only ? label : undefined} ...${rest}>
      ${icon && html`<${Icon} name=${icon} />`}${children && html`<span>${children}</span>`}
    </a>`;
}

/** A button that opens what is below it. */
export function Menu({ icon, text, label, kind = "", align = "start", children }) {
  const [isOpen, setOpen] = useState(false);
  const ref = useRef();
  const id = useId();
  const close = () => {
    setOpen(false);
    ref.current?.querySelector("button")?.focus();
  };
  useOutside(ref, isOpen, () => setOpen(false));
  return html`
    <div class="menu" ref=${ref} onKeyDown=${(event) => moveFocus(event, ref.current)}>
      <${Button} icon=${icon} label=${label} kind=${kind} aria-expanded=${isOpen}
        aria-controls=${isOpen ? id : undefined}
        onClick=${() => setOpen(!isOpen)}>${text}<//>
      ${isOpen && html`<div class=${`popover ${align}`} id=${id}>${children(close)}</div>`}
    </div>`;
}

/** Moves the focus among the items of an open menu by the arrow keys. */
function moveFocus(event, menu) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || event.target.matches("input, select, textarea")) return;
  const items = [...menu.querySelectorAll(".popover a, .popover button:not(:disabled), .popover input")];
  if (items.length === 0) return;
  event.preventDefault();
  const next = items.indexOf(document.activeElement) + step;
  items[(next + items.length) % items.length].focus();
}

/** A dialog in front of the page. The focus is in it, and goes back at its end. */
export function Dialog({ title, onClose, children, footer, kind = "" }) {
  const ref = useRef();
  const id = useId();
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog.showModal();
    if (!dialog.querySelector("[autofocus]")) dialog.querySelector("h2").focus();
    return () => dialog.close();
  }, []);
  return html`
    <dialog ref=${ref} class=${kind} aria-labelledby=${id} onCancel=${(event) => { event.preventDefault(); onClose(); }}
      onPointerDown=${(event) => event.target === ref.current && onClose()}>
      <div class="sheet">
        <header><h2 id=${id} tabindex="-1">${title}</h2>
          <${Button} icon="close" label="Close" kind="quiet" onClick=${onClose} /></header>
        <div class="body">${children}</div>
        ${footer && html`<footer>${footer}</footer>`}
      </div>
    </dialog>`;
}

const asking = { open: null };

/** Asks a question; `true` for yes. */
export const ask = (title, text, yes, kind = "danger") =>
  new Promise((answer) => asking.open?.({ title, text, yes, kind, answer }));

/** The place of questions. */
export function Questions() {
  const [question, setQuestion] = useState(null);
  asking.open = setQuestion;
  if (!question) return null;
  const end = (answer) => {
    setQuestion(null);
    question.answer(answer);
  };
  const footer = html`
    <${Button} onClick=${() => end(false)}>Cancel<//>
    <${Button} kind=${question.kind} autofocus onClick=${() => end(true)}>${question.yes}<//>`;
  return html`<${Dialog} title=${question.title} kind="small" onClose=${() => end(false)} footer=${footer}>
    <p>${question.text}</p><//>`;
}

const notes = { list: [], changed: null, next: 1 };

/** Shows a note for a while; an error stays until it is closed. */
export function note(text, { isError = false, action = null } = {}) {
  const id = notes.next++;
  notes.list = [...notes.list.slice(-3), { id, text, isError, action }];
  notes.changed?.(notes.list);
  if (!isError) setTimeout(() => dismiss(id), action ? 8_000 : 4_000);
}

export const noteError = (error) => error.name !== "AbortError" && note(error.message, { isError: true });

function dismiss(id) {
  notes.list = notes.list.filter((note) => note.id !== id);
  notes.changed?.(notes.list);
}

/** The place of notes. */
export function Notes() {
  const [list, setList] = useState(notes.list);
  notes.changed = setList;
  return html`
    <div class="notes" role="status" aria-live="polite">
      ${list.map(({ id, text, isError, action }) => html`
        <div class=${`note ${isError ? "error" : ""}`} key=${id}>
          <${Icon} name=${isError ? "close" : "check"} /><span>${text}</span>
          ${action && html`
            <button type="button" onClick=${() => { dismiss(id); action.run(); }}>${action.label}</button>`}
          <${Button} icon="close" label="Dismiss" kind="quiet" onClick=${() => dismiss(id)} />
        </div>`)}
    </div>`;
}

/** What stands where nothing is, with what to do about it. */
export const Empty = ({ icon = "table", title, children }) => html`
  <div class="empty"><${Icon} name=${icon} /><h2>${title}</h2><p>${children}</p></div>`;

/** An error that takes the place of what could not be loaded. */
export const Failure = ({ error, retry }) => html`
  <div class="empty failure" role="alert">
    <h2>${error.status === 404 ? "Nothing is here" : error.status === 403 ? "You may not see this"
      : "This could not be loaded"}</h2>
    <p>${error.message}</p>
    ${error.requestId && html`<p><small>Request ${error.requestId}</small></p>`}
    ${retry && error.status !== 404 && html`<p><${Button} icon="restore" onClick=${retry}>Try again<//></p>`}
  </div>`;

/** Lines in place of text that loads. */
export const Skeleton = ({ lines = 6 }) => html`
  <div class="skeleton" aria-label="Loading" role="status">
    ${Array.from({ length: lines }, (_, index) => html`<i key=${index} />`)}</div>`;


