// Aggregates of a list as a small table with bars.

import { html, useState } from "../vendor/preact.js";
import { get } from "../api.js";
import { count, isNumber, text } from "../format.js";
import { useTitle } from "../lookup.js";
import { useLoad } from "../ui/hooks.js";
import { Failure, Skeleton } from "../ui/parts.js";

const SPANS = ["day", "week", "month", "year"];
const isMoment = (field) => ["datetime", "date", "local_datetime"].includes(field?.kind);

function Group({ field, value }) {
  const title = useTitle(field?.refers?.resource ?? "", field?.refers ? value : null);
  return html`<bdi>${title ?? (isMoment(field) ? value ?? "–" : text(field, value))}</bdi>`;
}

/** The numbers of the records that a list's filters find. */
export function Summary({ resource, query }) {
  const { group_by: groups, over } = resource.aggregate;
  const [group, setGroup] = useState(groups[0] ?? "");
  const [span, setSpan] = useState("month");
  const numbers = over.filter((name) => isNumber(resource.byName.get(name)));
  const [measure, setMeasure] = useState("count");
  const field = resource.byName.get(group);
  const [name, of] = measure.split(" ");
  const filters = query.filter(([name]) => !["skip", "limit", "sort", "cursor"].includes(name));
  const key = isMoment(field) ? `${group}:${span}` : group;
  const load = (signal) =>
    get(`${resource.path}/aggregate`, [...filters, ["group_by", key], ...(of ? [[name, of]] : [])], signal);
  const { data, error, isLate, isLoading } = useLoad(load, [key, measure, JSON.stringify(filters)]);
  const valueOf = (row) => Number((of ? row[name]?.[of] : row.count) ?? 0);
  const rows = data?.value.data ?? [];
  const most = Math.max(...rows.map((row) => Math.abs(valueOf(row))), 1e-9);
  const measureField = of
    ? { ...resource.byName.get(of), kind: name === "avg" ? "float" : resource.byName.get(of).kind } : null;
  return html`
    <section class="card summary" aria-label="Summary">
      <div class="toolbar">
        ${groups.length > 0
          && html`<label class="inline"><span>By</span>
            <select value=${group} onChange=${(event) => setGroup(event.target.value)}>
          <option value="">All together</option>
          ${groups.map((name) =>
            html`<option key=${name} value=${name}>${resource.byName.get(name)?.label ?? name}</option>`)}</select>
            </label>`}
        ${isMoment(field)
          && html`<label class="inline"><span>each</span>
            <select value=${span} onChange=${(event) => setSpan(event.target.value)}>
          ${SPANS.map((span) => html`<option key=${span}>${span}</option>`)}</select></label>`}
        <label class="inline"><span>Show</span>
          <select value=${measure} onChange=${(event) => setMeasure(event.target.value)}>
          <option value="count">Number of records</option>
          ${numbers.flatMap((of) => ["sum", "avg", "min", "max"].map((name) => html`
            <option key=${name + of} value=${`${name} ${of}`}>
              ${{ sum: "Sum", avg: "Average", min: "Least",
                max: "Greatest" }[name]} of ${resource.byName.get(of).label.toLowerCase()}</option>`))}
        </select></label>
      </div>
      ${error ? html`<${Failure} error=${error} />` : isLate ? html`<${Skeleton} lines=${4} />` : html`
        <div class="scroller short"><table class=${`bars ${isLoading ? "stale" : ""}`}>
          <thead class="sr"><tr><th scope="col">Group</th><th scope="col">Value</th><th scope="col">Bar</th></tr>
          </thead>
          <tbody>${rows.map((row, index) => html`
            <tr key=${index}>
              <th scope="row">${group ? html`<${Group} field=${field} value=${row[group]} />` : "All records"}</th>
              <td class="amount">
                ${of ? (row[name]?.[of] == null ? "–" : text(measureField, row[name][of])) : count(row.count)}</td>
              <td class="bar"><i style=${{ width: `${(Math.abs(valueOf(row)) / most) * 100}%` }} /></td>
            </tr>`)}</tbody></table></div>`}
    </section>`;
}
