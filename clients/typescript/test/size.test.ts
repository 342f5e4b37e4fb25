import { gzipSync } from "node:zlib";

import { build } from "esbuild";
import { expect, test } from "vitest";

/** The largest size of the client, minified and compressed, in bytes. */
const LIMIT = 6 * 1024;

test("the client stays small", async () => {
  const { outputFiles } = await build({
    entryPoints: ["src/index.ts"],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    write: false,
  });
  expect(gzipSync(outputFiles[0]!.contents, { level: 9 }).length).toBeLessThan(LIMIT);
});
