// Roles and permissions: those that the service's rules name, and others that are typed.

import { html, useState } from "../vendor/preact.js";
import { Icon } from "../ui/icon.js";

/** An input of names, of which some are known. */
export const namesInput = (known, noun) =>
  function NamesInput({ attributes, value, onChange }) {
    const [text, setText] = useState("");
    const chosen = value ?? [];
    const all = [...known, ...chosen.filter((name) => !known.includes(name))];
    const toggle = (name) =>
      onChange(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
    const add = () => {
      const name = text.trim();
      if (name && !chosen.includes(name)) onChange([...chosen, name]);
      setText("");
    };
    const pressed = (event) => {
      if (event.key !== "Enter" || !text.trim()) return;
      event.preventDefault();
      add();
    };
    return html`
      ${all.length > 0 && html`<div class="names">${all.map((name) => html`
        <button type="button" key=${name} class="name-choice" aria-pressed=${chosen.includes(name)}
          onClick=${() => toggle(name)}>
          ${chosen.includes(name) && html`<${Icon} name="check" />`}<bdi>${name}</bdi></button>`)}</div>`}
      <input ...${attributes} value=${text} placeholder=${`Another ${noun}`} autocomplete="off" autocapitalize="none"
        spellcheck="false" onInput=${(event) => setText(event.target.value)} onKeyDown=${pressed} onBlur=${add} />`;
  };
