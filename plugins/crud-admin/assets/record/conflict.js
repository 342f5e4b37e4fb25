// A record that has changed since it was opened: theirs beside yours.

import { html, useState } from "../vendor/preact.js";
import { Value } from "../format.js";
import { Reference } from "../list/fields.js";
import { isSame } from "../json.js";
import { Button, Dialog } from "../ui/parts.js";

export const Shown = ({ field, value, record }) =>
  field.refers && field.refers.by.length === 0
    ? html`<${Reference} field=${{ ...field, refers: { ...field.refers, expand: null } }}
      record=${{ ...record, [field.name]: value }} isPlain />`
    : html`<${Value} field=${field} value=${value} />`;

/** Asks which value of each field stays. */
export function Conflict({ resource, mine, base, theirs, save, takeTheirs, close }) {
  const names = Object.keys(mine);
  const both = names.filter((name) => !isSame(base[name], theirs[name]) && !isSame(mine[name], theirs[name]));
  const [kept, setKept] = useState(new Set());
  const body = Object.fromEntries(names.filter((name) => !kept.has(name)).map((name) => [name, mine[name]]));
  const toggle = (name, isTheirs) => {
    const next = new Set(kept);
    if (isTheirs) next.add(name);
    else next.delete(name);
    setKept(next);
  };
  const footer = html`
    <${Button} onClick=${takeTheirs}>Drop my changes<//>
    <${Button} kind="primary" onClick=${() => save(body)}>Save my choice<//>`;
  return html`
    <${Dialog} title="This record has changed meanwhile" onClose=${close} footer=${footer}>
      <p>Somebody saved it after you opened
        it. ${both.length === 0 ? "They changed other fields than you: both changes can stay."
          : "Choose the value that stays."}</p>
      <div class="scroller"><table class="plain">
        <thead><tr><th scope="col">Field</th><th scope="col">Yours</th><th scope="col">Theirs</th></tr></thead>
        <tbody>${names.map((name) => {
          const field = resource.byName.get(name);
          const choice = (isTheirs, value) => html`
            <label class="check">
              <input type="radio" name=${name} checked=${kept.has(name) === isTheirs}
                onChange=${() => toggle(name, isTheirs)} />
              <span><${Shown} field=${field} value=${value} record=${theirs} /></span></label>`;
          return html`<tr key=${name}><th scope="row">${field.label}</th><td>${choice(false, mine[name])}</td>
            <td>${choice(true, theirs[name])}</td></tr>`;
        })}</tbody>
      </table></div>
    <//>`;
}
