import { gzipSync } from "node:zlib";

import { build } from "esbuild";
import { expect, test } from "vitest";

/** The largest sizes of the client, minified and compressed, in bytes: of what a page loads, and of what it loads to listen. */
const LIMIT = 3.5 * 1024;
const EVENTS = 4.5 * 1024;

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
  const size = (isEvents: boolean) =>
    outputFiles
      .filter(({ path }) => /\/events-\w+\.js$/.test(path) === isEvents)
      .reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
  expect(size(false)).toBeLessThan(LIMIT);
  expect(size(true)).toBeGreaterThan(1024);
  expect(size(true)).toBeLessThan(EVENTS);
});
