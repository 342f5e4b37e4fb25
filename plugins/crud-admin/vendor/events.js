// Source of assets/vendor/events.js: the stream of events of the client for TypeScript.

export { createEvents } from "../../../clients/typescript/src/events/events.ts";
export { TIMING } from "../../../clients/typescript/src/events/timing.ts";
