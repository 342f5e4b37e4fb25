// Writes what the tests compile: the types of the shop's document, and the examples of the README and of the book's page.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const env = {
  PATH: process.env.PATH,
  BIND: "127.0.0.1:0",
  DATABASE_URL: "sqlite::memory:",
  SHOP_ADMIN_PASSWORD: "correct horse",
  JWT_SECRET_KEY: "a secret of this run, 32 bytes at least",
  NO_COLOR: "1",
};
const shop = spawn(process.env.SHOP, ["--auth"], { env, stdio: ["ignore", "pipe", "pipe"] });
try {
  const address = new Promise((resolve) => {
    for (const stream of [shop.stdout, shop.stderr])
      createInterface(stream).on("line", (line) => {
        const found = /listening on (http:\S+\d)/.exec(line);
        if (found) resolve(found[1]);
      });
  });
  const gone = once(shop, "exit").then(() => Promise.reject(new Error("the shop ended before it listened")));
  gone.catch(() => {});
  const url = await Promise.race([address, gone]);
  const output = fileURLToPath(new URL("api.d.ts", import.meta.url));
  execFileSync("npx", ["openapi-typescript", `${url}/openapi.json`, "--output", output], { stdio: "pipe" });
} finally {
  shop.kill("SIGTERM");
}

for (const [name, path] of Object.entries({ readme: "../README.md", guide: "../../../docs/src/guide/clients.md" })) {
  const text = readFileSync(new URL(path, import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code);
  const example = blocks.find((code) => code.includes("@crud-runtime/client"));
  if (!example) throw new Error(`${path} has no example of the client`);
  writeFileSync(new URL(`example-${name}.ts`, import.meta.url), example);
}
