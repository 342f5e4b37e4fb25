// The columns of a wide table that are near its visible part: of 200 columns, about 15 are there at a time.

import { useState } from "../vendor/preact.js";

/** Number of columns from which a table has only those near its visible part. */
const WIDE = 30;
/** Width of a column of a wide table, in pixels, and that of the first one, which stays in sight. */
const WIDTH = 160;
const FIRST = 240;
/** Columns beyond the visible ones, on each side; windows begin at their multiples. */
const SPARE = 4;

/** The columns after the first that are there when a table is scrolled by so much, and so much of it is visible. */
export function windowAt(left, visible, count) {
  const start = Math.floor(left / WIDTH / SPARE - 1) * SPARE + 1;
  const from = Math.min(Math.max(1, start), count);
  return { from, to: Math.min(count, from + Math.ceil(visible / WIDTH) + 3 * SPARE) };
}

/** The window of a table's columns, and what follows its scrolling; `null` where all columns are there. */
export function useWindow(count) {
  const [{ from, to }, set] = useState(windowAt(0, innerWidth, count));
  if (count <= WIDE) return null;
  const onScroll = ({ currentTarget }) => {
    const next = windowAt(currentTarget.scrollLeft, currentTarget.clientWidth, count);
    if (next.from !== from || next.to !== to) set(next);
  };
  return { from, to: Math.min(to, count), onScroll };
}

/** The widths of a wide table's columns. */
export const widths = (count, hasBox) => ({
  first: `${FIRST}px`, other: `${WIDTH}px`, table: `${FIRST + (count - 1) * WIDTH + (hasBox ? 48 : 0)}px`,
});
