// Writes the examples of the book's page as files of `example/pages`, which `tsc` reads with the rest.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const page = readFileSync(new URL("../../../docs/src/guide/admin.md", import.meta.url), "utf8");
const directory = new URL("../../example/pages/", import.meta.url);
const kinds = [["defineConfig(", "vite.config.ts"], ["createRoot(", "main.tsx"], ["session.fetch", "Shop.tsx"], ["const App", "App.tsx"]];

rmSync(directory, { recursive: true, force: true });
mkdirSync(directory, { recursive: true });
const written = new Set();
for (const [, code] of page.matchAll(/^```tsx?\n([^]*?)^```$/gm)) {
  const kind = kinds.find(([sign]) => code.includes(sign));
  if (!kind || written.has(kind[1])) throw new Error(`an example of the page is not known here:\n${code}`);
  written.add(kind[1]);
  writeFileSync(new URL(kind[1], directory), code);
}
if (written.size !== kinds.length) throw new Error(`the page lacks an example: ${[...written]}`);
