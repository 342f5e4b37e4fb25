/** The part that a program loads when it listens to events. */

export { createEvents } from "./events.js";
export { live } from "./live.js";
export { conditionOf, isPartial, sortOf } from "./query.js";
export { TIMING } from "./timing.js";
