// A program as a process, on a database of its own.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a program, and stops it when the test is done. */
export async function start(t, program, env = {}) {
  assert.ok(program, "name the programs: TRACKER=target/debug/tracker LIBRARY=target/debug/examples/library");
  const directory = mkdtempSync(join(tmpdir(), "mcp-"));
  const port = await freePort();
  const all = {
    PATH: process.env.PATH, JWT_SECRET_KEY: "a secret of this run, 32 bytes at least", RUST_LOG: "warn",
    DATABASE_URL: `sqlite://${join(directory, "service.db")}`, BIND: `127.0.0.1:${port}`, ...env,
  };
  const service = spawn(program, [], { env: all, stdio: "ignore" });
  const exited = new Promise((resolve) => service.once("exit", resolve));
  t.after(async () => {
    service.kill("SIGKILL");
    await exited;
    rmSync(directory, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(`${url}/ready`).catch(() => null);
    if (answer?.ok) return url;
    assert.ok(attempt < 300, "the service did not start within thirty seconds");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The JSON of a route's answer to a request with a token. */
export async function send(url, method, path, { token, body } = {}) {
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : null;
}
