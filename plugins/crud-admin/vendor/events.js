// Source of assets/vendor/events.js: the stream of events of the client for TypeScript, which the tabs of a browser share.

import { createEvents as create } from "../../../clients/typescript/src/events/events.ts";
import { openShared } from "../../../clients/typescript/src/events/tabs.ts";

export { TIMING } from "../../../clients/typescript/src/events/timing.ts";

const canShare = () => globalThis.BroadcastChannel && globalThis.navigator?.locks;

export const createEvents = (source, share) => create(source, share, () => (canShare() ? openShared : undefined));
