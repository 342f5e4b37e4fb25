// Records that are saved with the one that they belong to, edited in place.

import { html } from "../vendor/preact.js";
import { resourceNamed, writableFields } from "../schema.js";
import { Button } from "../ui/parts.js";
import { Input } from "./inputs.js";
import { initial } from "./form.js";

/** The fields of a nested record that its body may have. */
export const nestedFields = (children) => {
  const target = resourceNamed(children.resource);
  return writableFields(target, true).filter((field) => !children.by.includes(field.name));
};

/** The rows of nested records. `rows` are bodies; a key says which record each is of. */
export function Nested({ children, rows, onChange, errors }) {
  const target = resourceNamed(children.resource);
  const fields = nestedFields(children);
  const set = (index, name, value) =>
    onChange(rows.map((row, other) => (other === index ? { ...row, [name]: value } : row)));
  return html`
    <fieldset class="nested"><legend>${children.label}</legend>
      ${errors && html`<p class="error">${errors}</p>`}
      ${rows.map((row, index) => html`
        <div class="nested-row" key=${row[target.key[0]] ?? `new ${index}`}>
          ${fields.map((field) =>
            html`<${Input} key=${field.name} resource=${target} field=${{ ...field, doc: "" }} value=${row[field.name]}
              onChange=${(value) => set(index, field.name, value)} />`)}
          <${Button} icon="delete" label=${`Remove ${target.one.toLowerCase()} ${index + 1}`} kind="quiet"
            onClick=${() => onChange(rows.filter((_, other) => other !== index))} />
        </div>`)}
      <${Button} icon="add" onClick=${() => onChange([...rows, initial(target)])}>Add ${target.one.toLowerCase()}<//>
    </fieldset>`;
}
