// @vitest-environment jsdom

import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { EditBase, Form } from "ra-core";
import { DateTimeInput, TextInput } from "react-admin";
import { afterEach, beforeEach, describe, expect, inject, test, vi } from "vitest";

import { crudDataProvider } from "../src/index.js";
import { Save, show } from "./page.js";
import { failure } from "./support.js";

const url = inject("kitchen");
const withKitchen = describe.skipIf(url === undefined);
afterEach(cleanup);
// React warns of properties that react-admin passes to MUI.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));

/** The instant that a browser in the zone of the tests means by a local time. */
const instant = (local: string) => new Date(local).toISOString().replace(".000Z", ".000000Z");

function kitchen() {
  const sent: string[] = [];
  const provider = crudDataProvider(url!, {
    fetch(target, init) {
      sent.push(`${init?.method ?? "GET"} ${init?.body ?? ""}`);
      return fetch(target, init);
    },
  });
  return { provider, sent };
}

withKitchen("a time of an input", () => {
  test("is created and saved as the instant that it is in the browser's zone", async () => {
    const { provider } = kitchen();
    const { data: created } = await provider.create("ledgers", { data: { name: "a", due: "2026-11-29T10:00" } });
    expect(created.due).toBe(instant("2026-11-29T10:00"));
    const changed = { ...created, due: "2026-07-01T08:30" };
    const { data } = await provider.update("ledgers", { id: created.id, data: changed, previousData: created });
    expect(data.due).toBe(instant("2026-07-01T08:30"));
  });

  test("is saved by batches, and filters lists", async () => {
    const { provider } = kitchen();
    const { data: { id } } = await provider.create("ledgers", { data: { name: "b" } });
    await provider.updateMany("ledgers", { ids: [id], data: { due: "2031-01-01T00:00" } });
    const list = { pagination: { page: 1, perPage: 10 }, sort: { field: "id", order: "ASC" } as const };
    const from = { due__gte: "2031-01-01T00:00" };
    expect((await provider.getList("ledgers", { ...list, filter: from })).data.map((ledger) => ledger.id)).toEqual([id]);
  });

  test("gets its seconds where the field has no zone", async () => {
    const { provider } = kitchen();
    const { data } = await provider.create("sparse", { data: { local: "2026-11-29T10:00" } });
    expect(data.local).toMatch(/^2026-11-29T10:00:00(\.0+)?$/);
  });

  test("is a text where the field is one", async () => {
    const { provider, sent } = kitchen();
    const { data } = await provider.create("ledgers", { data: { name: "2026-11-29T10:00" } });
    expect(data.name).toBe("2026-11-29T10:00");
    expect(sent).toHaveLength(1);
  });

  test("is sent once where the other fields are wrong too, and the errors are theirs", async () => {
    const { provider, sent } = kitchen();
    const error = await failure(provider.create("ledgers", { data: { name: 7, due: "2026-11-29T10:00" } }));
    expect(Object.keys(error.body.errors)).toEqual(["name", "root"]);
    expect(sent).toHaveLength(2);
  });

  test("that a form has shown keeps its seconds when another field is saved", async () => {
    const { provider, sent } = kitchen();
    const due = "2026-11-29T10:00:42.123456Z";
    const { data: { id } } = await provider.create("ledgers", { data: { name: "c", due } });
    const saved = vi.fn();
    show(
      provider,
      <EditBase resource="ledgers" id={id} mutationMode="pessimistic" redirect={false} mutationOptions={{ onSuccess: saved }}>
        <Form><TextInput source="name" /><DateTimeInput source="due" /><Save /></Form>
      </EditBase>,
    );
    await screen.findByDisplayValue("c");
    const input = screen.getByLabelText(/due/i);
    fireEvent.focus(input);
    fireEvent.blur(input);
    fireEvent.change(screen.getByLabelText(/name/i), { target: { value: "d" } });
    fireEvent.click(screen.getByText("Save"));
    await waitFor(() => expect(saved).toHaveBeenCalled());
    expect(sent.at(-1)).toBe('PUT {"name":"d"}');

    fireEvent.change(input, { target: { value: "2026-12-24T18:00" } });
    fireEvent.click(screen.getByText("Save"));
    await waitFor(() => expect(saved).toHaveBeenCalledTimes(2));
    expect((await provider.getOne("ledgers", { id })).data.due).toBe(instant("2026-12-24T18:00"));
  });
});
