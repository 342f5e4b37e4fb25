// Icons: strokes on a grid of 16.

import { html } from "../vendor/preact.js";

const PATHS = {
  add: "M8 3.5v9M3.5 8h9",
  ascending: "M8 12.5v-9M4.5 7 8 3.5 11.5 7",
  back: "M9.5 3.5 5 8l4.5 4.5",
  check: "M3.5 8.5 6.5 11.5 12.5 4.5",
  close: "M4 4l8 8M12 4l-8 8",
  columns: "M2.5 3.5h11v9h-11zM6.2 3.5v9M9.8 3.5v9",
  delete: "M3 4.5h10M6.5 4.5v-1.5h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5M6.8 7v3.5M9.2 7v3.5",
  descending: "M8 3.5v9M4.5 9 8 12.5 11.5 9",
  down: "M4 6l4 4 4-4",
  download: "M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13.5h10",
  edit: "M3 13l.6-2.9 7.2-7.2 2.3 2.3-7.2 7.2z",
  external: "M6 3.5H3.5v9h9V10M9 3.5h3.5V7M12.5 3.5 7.5 8.5",
  file: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  filter: "M2.5 4h11M4.5 8h7M6.5 12h3",
  history: "M3 8a5 5 0 1 0 1.5-3.6L3 5.8M3 3v2.8h2.8M8 5.5V8l1.8 1.2",
  home: "M2.5 7.5 8 3l5.5 4.5M4 6.5v6.5h8V6.5",
  jobs: "M8 2.5v2M8 11.5v2M2.5 8h2M11.5 8h2M4.1 4.1l1.4 1.4M10.5 10.5l1.4 1.4M11.9 4.1l-1.4 1.4M5.5 10.5l-1.4 1.4",
  link: "M6.8 9.2a2.4 2.4 0 0 0 3.4 0l2.1-2.1a2.4 2.4 0 0 0-3.4-3.4L8 4.6" +
    "M9.2 6.8a2.4 2.4 0 0 0-3.4 0L3.7 8.9a2.4 2.4 0 0 0 3.4 3.4l.9-.9",
  log: "M4 2.5h8v11H4zM6 5.5h4M6 8h4M6 10.5h2.5",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  next: "M6.5 3.5 11 8l-4.5 4.5",
  moon: "M12.8 9.6A5.3 5.3 0 0 1 6.4 3.2 5.3 5.3 0 1 0 12.8 9.6z",
  out: "M6.5 3H3.5v10h3M7 8h6M10.5 5.5 13 8l-2.5 2.5",
  restore: "M3 3v3.2h3.2M3.3 6.2A5 5 0 1 1 3 8.5",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2",
  sum: "M12 3.5H4.5L8 8l-3.5 4.5H12",
  sun: "M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3" +
    "M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9",
  system: "M2.5 3.5h11v7.5h-11zM6 13.5h4",
  table: "M2.5 3.5h11v9h-11zM2.5 6.5h11M6 6.5v6",
  upload: "M8 10.5V3M4.8 6.2 8 3l3.2 3.2M3 13.5h10",
  user: "M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8zM3 13.5c.5-2.4 2.5-3.7 5-3.7s4.5 1.3 5 3.7",
};

export const Icon = ({ name }) => html`
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.5"
    stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;
