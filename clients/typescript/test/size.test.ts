import { gzipSync } from "node:zlib";

import { build } from "esbuild";
import { expect, test } from "vitest";

/**
 * The largest sizes of the client, minified and compressed, in bytes: of what a page loads, of what it loads to follow events,
 * alone and with the other tabs of a browser, and of what it loads to show lists that are live.
 */
const LIMITS = { index: 3.5 * 1024, events: 2.75 * 1024, tabs: 1.25 * 1024, live: 1.3 * 1024 };

test("the client stays small, and is larger only for those who listen", async () => {
  const { outputFiles } = await build({
    entryPoints: ["src/index.ts"],
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    outdir: "out",
    write: false,
  });
  const sizes = { index: 0, events: 0, tabs: 0, live: 0 };
  for (const { path, contents } of outputFiles) {
    const name = (/\/(events|tabs|live)-\w+\.js$/.exec(path)?.[1] ?? "index") as keyof typeof sizes;
    sizes[name] += gzipSync(contents, { level: 9 }).length;
  }
  console.info("gzip, bytes:", sizes);
  // A program that uses `createCrud` and `events()`.
  expect(sizes.index + sizes.events).toBeLessThan(6 * 1024);
  for (const name of ["index", "events", "tabs", "live"] as const) {
    expect(sizes[name], name).toBeGreaterThan(512);
    expect(sizes[name], name).toBeLessThan(LIMITS[name]);
  }
});
