// A service as a process, and a browser whose mistakes are collected.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { chromium } from "playwright-core";

export const PASSWORD = "correct horse battery";
const AXE = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The URL of a new database of the PostgreSQL server whose directory is `CRUD_TEST_POSTGRES`. */
function postgresDatabase() {
  const server = process.env.CRUD_TEST_POSTGRES;
  const name = `admin_${randomUUID().replaceAll("-", "")}`;
  const options = ["-h", server, "-U", "crud", "-d", "postgres", "-c", `CREATE DATABASE ${name}`];
  const made = spawnSync(process.env.PSQL ?? "psql", options, { encoding: "utf8" });
  assert.equal(made.status, 0, `${made.error ?? made.stderr}`);
  return `postgres://crud@localhost/${name}?host=${server}`;
}

/** Starts a program in a directory, on a new database: a file of SQLite, or one of PostgreSQL by its server. */
export async function start(program, { seed = [], args = [], env = {} } = {}) {
  assert.ok(program, "name the programs: SHOP=target/debug/shop REPAIR=target/debug/repair");
  const directory = mkdtempSync(join(tmpdir(), "admin-"));
  const all = {
    PATH: process.env.PATH, JWT_SECRET_KEY: "a secret of this run, 32 bytes at least", RUST_LOG: "warn",
    DATABASE_URL: process.env.CRUD_TEST_POSTGRES ? postgresDatabase() : `sqlite://${join(directory, "service.db")}`,
    ...env,
  };
  if (seed.length > 0) {
    const seeded = spawnSync(program, seed, { cwd: directory, env: all, encoding: "utf8" });
    assert.equal(seeded.status, 0, `${seeded.stderr}`);
  }
  let service, url, log, exited, starts = 0;
  const run = async () => {
    const port = await freePort();
    url = `http://localhost:${port}`;
    log = "";
    const bound = { ...all, BIND: `127.0.0.1:${port}` };
    service = spawn(program, args, { cwd: directory, env: bound, stdio: ["ignore", "pipe", "ignore"] });
    service.stdout.on("data", (chunk) => { log += chunk; });
    exited = new Promise((resolve) => service.once("exit", resolve));
    starts++;
  };
  await run();
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(`${url}/ready`).catch(() => null);
    if (answer?.ok && service.exitCode === null) break;
    assert.ok(attempt < 1200, "the service did not start within two minutes");
    // Another program may have taken the port meanwhile.
    if (service.exitCode !== null) {
      assert.ok(starts < 5, `the service ends at its start: ${log}`);
      await run();
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const stop = async () => {
    service.kill("SIGTERM");
    await exited;
    rmSync(directory, { recursive: true });
  };
  return { url, stop, client: () => client(url), log: () => log };
}

/** Requests of another client, as a user. */
export async function client(url, username = "admin", password = PASSWORD) {
  const login = await fetch(`${url}/auth/login`, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ username, password }),
  });
  const { access_token: token } = await login.json();
  return async (method, path, body) => {
    const answer = await fetch(url + path, {
      method, headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
    });
    return { status: answer.status, value: await answer.json().catch(() => null) };
  };
}

export const launch = () =>
  chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });

/** Takes the files of a page from the folder `ASSETS`, where it is named: a change then needs no build. */
export const takeFiles = async (page, url) =>
  process.env.ASSETS && page.route(/\/(admin|app)\/.*\.(js|css)$/, (route) => serveFile(route, url));

async function serveFile(route, url) {
  const path = join(process.env.ASSETS, new URL(route.request().url()).pathname.replace(/^\/(admin|app)\//, ""));
  const contentType = path.endsWith(".css") ? "text/css" : "text/javascript";
  if (route.request().url().startsWith(`${url}/admin/module/`)) await route.continue();
  else await route.fulfill({ path, contentType });
}

/** A page, whose errors, refused loads and requests elsewhere are mistakes. */
export async function open(browser, url, options = {}, path = "/admin") {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-GB",
    timezoneId: "Europe/Berlin", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(45_000);
  const mistakes = [];
  page.on("pageerror", (error) => mistakes.push(String(error)));
  page.on("console", (message) => {
    const isRefusal = /status of 4\d\d/.test(message.text());
    if (message.type() === "error" && !isRefusal) mistakes.push(message.text());
  });
  page.on("request", (request) => {
    const isElsewhere = /^https?:/.test(request.url()) && !request.url().startsWith(url);
    if (isElsewhere) mistakes.push(`a request to ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    mistakes.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await takeFiles(page, url);
  await page.goto(url + path);
  return { page, context, mistakes };
}

export async function logIn(page, username = "admin", password = PASSWORD) {
  await page.getByLabel("Name").fill(username);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("navigation", { name: "Pages of the service" }).waitFor();
}

export async function go(page, place) {
  await page.evaluate((place) => { location.hash = place; }, place);
}

/** Axe's violations of WCAG 2.2 AA and its best practices, found from a world of its own: the page's policy stays. */
export async function violations(page) {
  // Colours of what appears gradually have their contrast at the end.
  await page.evaluate(() => Promise.all(document.getAnimations()
    .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
    .map(({ finished }) => finished.catch(() => {}))));
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId: contextId } = await session.send("Page.createIsolatedWorld",
    { frameId: frameTree.frame.id });
  await session.send("Runtime.evaluate", { expression: AXE, contextId });
  const run = `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
    .then(({ violations }) => JSON.stringify(
      violations.map(({ id, nodes }) => id + ": " + nodes[0].html.slice(0, 160))))`;
  const { result } = await session.send("Runtime.evaluate",
    { expression: run, contextId, awaitPromise: true, returnByValue: true });
  await session.detach();
  return JSON.parse(result.value);
}
