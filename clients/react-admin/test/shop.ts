import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {} from "vitest";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of the shop. */
    shop: string;
    /** The password of `admin`. */
    password: string;
  }
}

/** Starts a seeded shop with authentication, on a database of the run, from the program that `SHOP` names. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const program = process.env.SHOP;
  if (!program) throw new Error("SHOP must be the path of the shop's program: cargo build --bin shop");
  const directory = mkdtempSync(join(tmpdir(), "shop-"));
  const address = `127.0.0.1:${await freePort()}`;
  const password = "correct horse";
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: `sqlite://${join(directory, "shop.db")}`,
    BIND: address,
    SHOP_ADMIN_PASSWORD: password,
    JWT_SECRET_KEY: "a secret of this run, 32 bytes at least",
  };
  const seeded = spawnSync(program, ["seed", "10000"], { env, encoding: "utf8" });
  if (seeded.status !== 0) throw new Error(`the shop was not seeded: ${seeded.error ?? seeded.stderr}`);
  const shop = spawn(program, [], { env, stdio: "ignore" });
  const exited = new Promise((resolve) => shop.once("exit", resolve));
  project.provide("shop", `http://${address}`);
  project.provide("password", password);
  await ready(`http://${address}/ready`);
  return async () => {
    shop.kill("SIGTERM");
    await exited;
    rmSync(directory, { recursive: true });
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function ready(url: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the shop did not start within ten seconds");
}
