import { existsSync } from "node:fs";

import { chromium } from "playwright-core";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";

const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
const kitchen = inject("kitchen");

interface Schema {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: string[];
  items?: Schema;
  example?: unknown;
  examples?: unknown[];
}

interface Parameter {
  name: string;
  in: string;
  schema: Schema;
}

type Document = { paths: Record<string, Record<string, unknown> & { parameters?: object[] }> };

/** An operation, and those of its parameters of which no operation before has the kind. */
interface Sample {
  path: string;
  method: string;
  parameters: Parameter[];
}

const METHODS = ["get", "post", "put", "patch", "delete"];

/** Most filters of one request: a query has at most 100. */
const FILTERS = 60;

/** Parameters that exclude others of the operation. */
const ALONE = ["cursor"];

let browser: Browser;
let page: Page;

const step = test.skipIf(!kitchen || !existsSync(executablePath));

beforeAll(async () => {
  if (!kitchen || !existsSync(executablePath)) return;
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  page.setDefaultTimeout(30_000);
});

afterAll(() => browser?.close());

/** What a reference of the document names, and a value that is none as it is. */
function resolved<T extends object>(document: Document, value: T): T {
  const { $ref } = value as { $ref?: string };
  if (!$ref) return value;
  const keys = $ref.slice(2).split("/").map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  return resolved(document, keys.reduce((found, key) => (found as any)[key], document as unknown) as T);
}

function parametersOf(document: Document, path: string, method: string): Parameter[] {
  const item = document.paths[path]!;
  const { parameters = [] } = item[method] as { parameters?: object[] };
  return [...parameters, ...(item.parameters ?? [])].map((parameter) => {
    const found = resolved(document, parameter) as Parameter;
    const schema = { ...resolved(document, found.schema) };
    if (schema.items) schema.items = resolved(document, schema.items);
    return { ...found, schema };
  });
}

/** The kind of a parameter: how it is drawn, its operator, and the name of those that are no filters. */
function kind({ name, in: place, schema }: Parameter, ownNames: Set<string>): string {
  const shape = ({ type, format, pattern, enum: variants }: Schema) => [type, format, pattern, Boolean(variants)];
  const operator = name.includes("__") ? name.split("__").at(-1) : undefined;
  return JSON.stringify([place, shape(schema), schema.items && shape(schema.items), operator, !operator && ownNames.has(name) && name]);
}

/** One operation for each kind of parameter in queries. */
function samples(document: Document): Sample[] {
  const operations = Object.keys(document.paths).flatMap((path) =>
    METHODS.filter((method) => document.paths[path]![method]).map((method) => ({ path, method })),
  );
  operations.sort((a, b) => METHODS.indexOf(a.method) - METHODS.indexOf(b.method));
  const ownNames = new Set(["where", "sort", "skip", "limit", "q", "expand", "as_of", "atomic", "deleted", "count"]);
  const seen = new Set<string>();
  return operations
    .map(({ path, method }) => {
      const isNew = (parameter: Parameter) => {
        const key = kind(parameter, ownNames);
        return parameter.in === "query" && !ALONE.includes(parameter.name) && !seen.has(key) && seen.add(key);
      };
      return { path, method, parameters: parametersOf(document, path, method).filter(isNew) };
    })
    .flatMap(({ parameters, ...operation }) => {
      const starts = [...parameters.keys()].filter((index) => index % FILTERS === 0);
      return starts.map((start) => ({ ...operation, parameters: parameters.slice(start, start + FILTERS) }));
    });
}

/** A value that the service takes. */
function valid({ name, schema }: Parameter): string {
  const { type, format, pattern = "", enum: variants, example, examples } = schema.items ?? schema;
  const stated = variants?.[0] ?? example ?? examples?.[0];
  if (stated !== undefined) return String(stated);
  if (type === "integer" || type === "number") return "1";
  if (type === "boolean") return "true";
  const formats: Record<string, string> = {
    date: "2026-01-02",
    "date-time": "2026-01-02T03:04:05Z",
    uuid: "018f4d9e-0000-7000-8000-000000000000",
  };
  if (name === "where") return '{"id":1}';
  const texts = ["03:04:05", "2026-01-02T03:04:05", "1.5", "word"];
  return (format && formats[format]) || texts.find((text) => new RegExp(pattern).test(text)) || "word";
}

async function fill(row: Locator, value: string): Promise<void> {
  const add = row.getByRole("button", { name: /^Add/ });
  if (await add.count()) await add.click();
  const control = row.locator("input, select, textarea").last();
  if ((await control.evaluate((element) => element.tagName)) === "SELECT") await control.selectOption(value);
  else await control.fill(value);
}

/** Loads the page, and opens an operation with all its filters. */
async function open({ path, method }: { path: string; method: string }): Promise<Locator> {
  // Of the same address, a browser keeps the page, with what was filled in.
  await page.goto("about:blank");
  await page.goto(`${kitchen}/docs`);
  const operation = page.locator(`.opblock-${method}`, { has: page.locator(`[data-path="${path}"]`) });
  await operation.locator(".opblock-summary-control").click();
  await operation.getByRole("button", { name: "Execute" }).waitFor();
  const filters = operation.getByRole("button", { name: /^Show \d+ filters$/ });
  if (await filters.count()) await filters.click();
  return operation;
}

/** Sends an operation, and returns its request's query and the response. */
async function send(operation: Locator, method: string) {
  for (const input of await operation.locator('tr[data-param-in="path"] input').all()) await input.fill("1");
  const [response] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === method.toUpperCase()),
    operation.getByRole("button", { name: "Execute" }).click(),
  ]);
  return { query: new URL(response.url()).searchParams, response };
}

step("each kind of parameter is sent as it is filled in", { timeout: 600_000 }, async () => {
  const document = (await (await fetch(`${kitchen}/openapi.json`)).json()) as Document;
  const all = samples(document);
  expect(all.flatMap(({ parameters }) => parameters).length).toBeGreaterThan(80);
  for (const sample of all) {
    const operation = await open(sample);
    const values = new Map(sample.parameters.map((parameter) => [parameter.name, valid(parameter)]));
    for (const [name, value] of values) {
      await fill(operation.locator(`tr[data-param-name="${name}"][data-param-in="query"]`), value);
    }
    const { query, response } = await send(operation, sample.method);
    for (const [name, value] of values) expect(query.get(name), `${name} of ${sample.path}`).toBe(value);
    if (sample.method === "get") expect(response.status(), await response.text()).not.toBe(422);
  }
});

step("a choice that is taken back is not sent", async () => {
  const operation = await open({ path: "/tags", method: "get" });
  const sort = operation.locator('tr[data-param-name="sort"] select');
  for (const none of [[], [""]]) {
    await sort.selectOption("slug");
    expect((await send(operation, "get")).query.get("sort")).toBe("slug");
    await sort.selectOption(none);
    expect((await send(operation, "get")).query.has("sort")).toBe(false);
  }
});
