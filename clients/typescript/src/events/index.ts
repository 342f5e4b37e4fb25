/** The part that a program loads when it listens to events. */

export { createEvents } from "./events.js";
export { isAfter } from "./event.js";
export { OTHERS, conditionOf } from "./query.js";
export { TIMING } from "./timing.js";
