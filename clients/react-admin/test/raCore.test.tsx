// @vitest-environment jsdom
import { cleanup, configure, fireEvent, screen, waitFor } from "@testing-library/react";
import {
  EditBase, Form, ListBase, RecordsIterator, ReferenceFieldBase, useInput, useRecordContext,
} from "ra-core";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { CrudDataProvider } from "../src/index.js";
import { Save, show } from "./page.js";
import { shopProvider, unique } from "./support.js";

configure({ asyncUtilTimeout: 10_000 });
afterEach(cleanup);
// React-admin logs the errors that it shows.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));

const Field = ({ name, id }: { name: string; id?: string }) => {
  const record = useRecordContext();
  return <p data-testid={id}>{record?.[name]}</p>;
};

test("the references of a list are read in one request", async () => {
  const { provider, sent } = await shopProvider();
  show(
    provider,
    <ListBase resource="products" sort={{ field: "price", order: "DESC" }} perPage={20} filter={{ stock__gt: 0 }}>
      <RecordsIterator render={() => (
        <ReferenceFieldBase source="category_id" reference="categories"><Field name="name" id="category" /></ReferenceFieldBase>
      )} />
    </ListBase>,
  );
  await waitFor(() => expect(screen.getAllByTestId("category").filter(({ textContent }) => textContent)).toHaveLength(20));
  expect(sent.filter(({ target }) => target.startsWith("/products?"))).toHaveLength(1);
  expect(sent.filter(({ target }) => target.startsWith("/categories?id__in="))).toHaveLength(1);
});

const Input = ({ source }: { source: string }) => {
  const { field, fieldState } = useInput({ source });
  return <><input aria-label={source} {...field} /><p data-testid={`${source} error`}>{fieldState.error?.message}</p></>;
};

async function openForm(provider: CrudDataProvider, onSuccess: () => void, onError: (error: Error) => void) {
  const data = { name: unique("Lamp"), price: 10, stock: 5, category_id: 1 };
  const { id } = (await provider.create("products", { data })).data;
  show(
    provider,
    <EditBase resource="products" id={id} mutationMode="pessimistic" redirect={false} mutationOptions={{ onSuccess, onError }}>
      <Form><Input source="name" /><Input source="price" /><Save /></Form>
    </EditBase>,
  );
  await screen.findByDisplayValue(data.name);
  return { id, data };
}

function type(label: string, value: string) {
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
}

test("a form shows the service's errors at their fields, and is saved once they are mended", async () => {
  const { provider } = await shopProvider();
  const saved = vi.fn();
  const { id } = await openForm(provider, saved, () => {});
  type("name", "x".repeat(201));
  fireEvent.click(screen.getByText("Save"));
  await waitFor(() => expect(screen.getByTestId("name error").textContent).toContain("must have at most 200 characters"));
  expect(screen.getByTestId("price error").textContent).toBe("");
  expect(saved).not.toHaveBeenCalled();

  type("name", "Short");
  fireEvent.click(screen.getByText("Save"));
  await waitFor(() => expect(saved).toHaveBeenCalled());
  expect((await provider.getOne("products", { id })).data.name).toBe("Short");
});

test("a form of a record that was changed since says so, and overwrites nothing", async () => {
  const { provider } = await shopProvider();
  const failed = vi.fn();
  const { id } = await openForm(provider, () => {}, failed);
  const other = (await shopProvider()).provider;
  await other.update("products", { id, data: { price: 11 }, previousData: undefined });
  type("name", "Mine");
  fireEvent.click(screen.getByText("Save"));
  await waitFor(() => expect(failed).toHaveBeenCalled());
  expect(failed.mock.calls[0]![0]).toMatchObject({ status: 412, message: expect.stringContaining("has changed since") });
  expect((await provider.getOne("products", { id })).data).toMatchObject({ price: 11 });
});
