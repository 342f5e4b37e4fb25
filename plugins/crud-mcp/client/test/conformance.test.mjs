// The conformance checks of the protocol's makers, against a service without authentication.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { start } from "./support.mjs";

/** The checks that cannot pass, each with its reason. */
const EXCEPTIONS = {
  "sep-2575-server-rejects-undeclared-capability": "calls a tool of the makers' test server",
  "sep-2575-missing-capability-http-400": "calls a tool of the makers' test server",
  "sep-2575-http-server-no-independent-requests-on-stream": "calls a tool of the makers' test server",
  "sep-2575-server-no-log-without-loglevel": "calls a tool of the makers' test server",
  "sep-2549-prompts-list-caching-hints": "there are no prompts",
  "sep-2549-resources-list-caching-hints": "there are no resources of the protocol: records are read by tools",
  "sep-2549-resources-templates-list-caching-hints": "there are no resources of the protocol",
};

const SCENARIOS = {
  "2026-07-28": ["server-stateless", "tools-list", "caching", "http-header-validation", "dns-rebinding-protection"],
  "2025-11-25": ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"],
  "2025-06-18": ["server-initialize", "ping", "tools-list"],
};

for (const [revision, scenarios] of Object.entries(SCENARIOS)) {
  for (const scenario of scenarios) {
    test(`${scenario} of ${revision}`, async (t) => {
      const url = await start(t, process.env.LIBRARY);
      const output = mkdtempSync(join(tmpdir(), "conformance-"));
      t.after(() => rmSync(output, { recursive: true, force: true }));
      const run = ["server", "--url", `${url}/mcp`, "--scenario", scenario, "--spec-version", revision, "-o", output];
      const conformance = new URL("../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url);
      const ran = spawnSync(process.execPath, [conformance.pathname, ...run], { encoding: "utf8", timeout: 120_000 });
      const [directory] = readdirSync(output);
      assert.ok(directory, `${ran.stdout}${ran.stderr}`);
      const checks = JSON.parse(readFileSync(join(output, directory, "checks.json"), "utf8"));
      assert.ok(checks.some((check) => check.status === "SUCCESS"), "a check has run");
      const failed = checks.filter((check) => check.status === "FAILURE" && !EXCEPTIONS[check.id]);
      assert.deepEqual(failed.map((check) => [check.id, check.errorMessage]), []);
    });
  }
}
