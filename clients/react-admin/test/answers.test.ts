import { expect, test, vi } from "vitest";

import { crudDataProvider } from "../src/index.js";
import type { ResourceSettings } from "../src/index.js";
import { failure } from "./support.js";

/** A provider whose requests all have one answer, and the requests that it sends. */
function answering(body: string, init: ResponseInit = {}, settings: ResourceSettings = {}) {
  const sent: [string, RequestInit | undefined][] = [];
  const provider = crudDataProvider("/api/", {
    resources: { readings: settings },
    fetch: async (url, request) => {
      sent.push([url, request]);
      return new Response(body, init);
    },
  });
  return { provider, sent };
}

test("integers beyond 2^53 are texts, and other numbers stay numbers", async () => {
  const { provider } = answering(
    String.raw`{"id":9007199254740993,"a":-9223372036854775808,"b":9007199254740991,"c":12345678901234567.0,"d":1e300,"e":"9007199254740993 \" 9007199254740993","f":[0.1,18446744073709551615]}`,
  );
  expect((await provider.getOne("readings", { id: "9007199254740993" })).data).toEqual({
    id: "9007199254740993",
    a: "-9223372036854775808",
    b: 9007199254740991,
    c: 12345678901234567.0,
    d: 1e300,
    e: '9007199254740993 " 9007199254740993',
    f: [0.1, "18446744073709551615"],
  });
});

test("keys beyond 2^53 are exact in paths, lists and bodies", async () => {
  const ids = ["9007199254740993", 7];
  const { provider, sent } = answering('{"data":[],"items":[]}', {}, { integers: ["id"] });
  await provider.getMany("readings", { ids });
  await provider.deleteMany("readings", { ids });
  await provider.updateMany("readings", { ids, data: { note: "9007199254740993" } });
  expect(sent[0]![0]).toBe("/api/readings?id__in=9007199254740993%2C7&limit=2");
  expect(sent[1]![1]!.body).toBe('{"ids":[9007199254740993,7]}');
  expect(sent[2]![1]!.body).toBe(
    '{"items":[{"note":"9007199254740993","id":9007199254740993},{"note":"9007199254740993","id":7}]}',
  );
});

test("a key of another name is the record's id", async () => {
  const { provider, sent } = answering('{"sku":"a/b, c","stock":1}', {}, { key: "sku" });
  const { data } = await provider.getOne("readings", { id: "a/b, c" });
  expect(data).toEqual({ sku: "a/b, c", stock: 1, id: "a/b, c" });
  await provider.update("readings", { id: data.id, data: { ...data, stock: 2 }, previousData: data });
  expect(sent.at(-1)).toMatchObject(["/api/readings/a%2Fb%2C%20c", { body: '{"stock":2}' }]);
  await provider.create("readings", { data: { ...data, id: "ignored" } });
  expect(sent.at(-1)![1]!.body).toBe('{"sku":"a/b, c","stock":1}');
});

test("an entity tag that a proxy has weakened is the service's again", async () => {
  const { provider, sent } = answering('{"id":1,"stock":1}', { headers: { etag: 'W/"96930ce3"' } });
  const previousData = (await provider.getOne("readings", { id: 1 })).data;
  await provider.update("readings", { id: 1, data: { stock: 2 }, previousData });
  expect(new Headers(sent.at(-1)![1]!.headers).get("if-match")).toBe('"96930ce3"');
});

test("values with commas and quotes are quoted in lists", async () => {
  const { provider, sent } = answering('{"data":[]}', {}, { key: "sku" });
  await provider.getMany("readings", { ids: ["a,b", 'say "x"', "c"] });
  expect(new URLSearchParams(sent[0]![0].split("?")[1]).get("sku__in")).toBe('"a,b","say ""x""",c');
});

test("nested pointers are the names of nested inputs", async () => {
  const problem = {
    status: 422,
    code: "validation_failed",
    detail: "lines/0/price: must be at least 0 (and 2 more errors)",
    errors: [
      { pointer: "/lines/0/price", code: "min", detail: "must be at least 0" },
      { pointer: "/lines/0/price", code: "custom", detail: "must be even" },
      { pointer: "/a~1b", code: "type", detail: "must be text" },
    ],
  };
  const { provider } = answering(JSON.stringify(problem), { status: 422 });
  const error = await failure(provider.create("readings", { data: {} }));
  expect(error.body.errors).toEqual({
    "lines.0.price": "must be at least 0; must be even",
    "a/b": "must be text",
    root: { serverError: "lines.0.price: must be at least 0; lines.0.price: must be even; a/b: must be text" },
  });
  expect(error.message).toBe(error.body.errors.root.serverError);
});

test("an answer that is no problem document is an error by its status", async () => {
  const gateway = answering("<h1>Bad gateway</h1>", { status: 502, statusText: "Bad Gateway" });
  expect(await failure(gateway.provider.getOne("readings", { id: 1 }))).toMatchObject({ status: 502, message: "Bad Gateway" });
  const page = answering("<h1>Welcome</h1>");
  expect((await failure(page.provider.getOne("readings", { id: 1 }))).message).toBe("The answer is not JSON");
});

test("a total that is a lower bound is no total", async () => {
  const { provider } = answering('{"data":[{"id":1}],"total":10000,"total_relation":"gte"}');
  expect(await provider.getList("readings", { pagination: { page: 2, perPage: 1 } })).toEqual({
    data: [{ id: 1 }],
    pageInfo: { hasNextPage: true, hasPreviousPage: true },
  });
});

test("a transition is a route of its record", async () => {
  const { provider, sent } = answering('{"id":7,"status":"Done"}');
  expect((await provider.transition("readings", { id: 7, name: "finish" })).data.status).toBe("Done");
  await provider.transition("readings", { id: 7, name: "finish", data: { note: "late" } });
  expect(sent[0]).toMatchObject(["/api/readings/7/finish", { method: "POST" }]);
  expect(sent[0]![1]!.body).toBeUndefined();
  expect(sent[1]![1]!.body).toBe('{"note":"late"}');
});

test("records of a resource that is not there are their ids, and are asked for once", async () => {
  const problem = { status: 404, code: "not_found", detail: "there is nothing at /readings" };
  const { provider, sent } = answering(JSON.stringify(problem), { status: 404 });
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  expect((await provider.getMany("readings", { ids: [7, 8] })).data).toEqual([{ id: 7 }, { id: 8 }]);
  expect((await provider.getMany("readings", { ids: [9] })).data).toEqual([{ id: 9 }]);
  expect(sent).toHaveLength(1);
  expect(warned).toHaveBeenCalledOnce();
  warned.mockRestore();
});
