// Elements, made by functions.

/** An element. `on…` are listeners, `vars` custom properties of its style; what is `false` or absent is left out. */
export function h(name, properties, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "vars") for (const name in value) element.style.setProperty(`--${name}`, value[name]);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(2).filter((child) => child || child === 0));
  return element;
}

/** Replaces what an element contains. The focus stays at the element with the same `data-key`. */
export function fill(parent, ...children) {
  const key = parent.contains(document.activeElement) && document.activeElement.dataset.key;
  parent.replaceChildren(...children.flat().filter(Boolean));
  if (key) parent.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

const notes = document.getElementById("notes");

/** Says a sentence at the foot of the page, with an action where there is one: `["Undo", function]`. */
export function say(sentence, action) {
  const act = () => {
    note.remove();
    action[1]();
  };
  const close = h("button", { class: "plain", "aria-label": "Close", onclick: () => note.remove() }, "×");
  const note = h("p", null, h("span", null, sentence), action && h("button", { onclick: act }, action[0]), close);
  notes.replaceChildren(note);
  if (!action) setTimeout(() => note.remove(), 8_000);
}
