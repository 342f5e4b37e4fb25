import { expect, test } from "vitest";

import { realtimeMethods } from "../src/index.js";
import type { RealtimeEvent } from "../src/index.js";

/** A client whose products have these events, and the signals of its readers. */
function following(events: object[]) {
  const signals: AbortSignal[] = [];
  const products = {
    async *events(_: object, { signal }: { signal: AbortSignal }) {
      signals.push(signal);
      yield* events;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  };
  return { crud: { products }, signals };
}

const EVENTS = [
  { id: "1", type: "product.created", record_id: 7, data: {} },
  { id: "2", type: "product.updated", record_id: 8, data: {} },
  { id: "3", type: "product.removed", record_id: 7, data: null },
  { id: "4", type: "reset" },
];

/** What a topic's subscriber is told, briefly. */
async function toldOf(topic: string): Promise<[string, unknown[]][]> {
  const told: RealtimeEvent[] = [];
  await realtimeMethods(following(EVENTS).crud).subscribe(topic, (event) => told.push(event));
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(told.every((event) => event.topic === topic)).toBe(true);
  return told.map(({ type, payload }) => [type, payload.ids]);
}

test("a resource's topic has all its changes, and a record's topic its own and resets", async () => {
  expect(await toldOf("resource/products")).toEqual([["created", [7]], ["updated", [8]], ["deleted", [7]], ["updated", []]]);
  expect(await toldOf("resource/products/7")).toEqual([["created", [7]], ["deleted", [7]], ["updated", []]]);
});

test("a topic that is left is no longer followed", async () => {
  const { crud, signals } = following([]);
  const methods = realtimeMethods(crud);
  const subscriber = () => {};
  await methods.subscribe("resource/products", subscriber);
  await methods.subscribe("resource/products/7", subscriber);
  await methods.unsubscribe("resource/products", subscriber);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
});
