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
    /** The URL of a service with every type of field, where `KITCHEN` names its program. */
    kitchen: string | undefined;
  }
}

/**
 * Starts a seeded shop with authentication, from the program that `SHOP` names, and the service that `KITCHEN` names, on
 * databases of the run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const program = process.env.SHOP;
  if (!program) throw new Error("SHOP must be the path of the shop's program: cargo build --bin shop");
  const directory = mkdtempSync(join(tmpdir(), "shop-"));
  const password = "correct horse";
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: `sqlite://${join(directory, "shop.db")}`,
    SHOP_ADMIN_PASSWORD: password,
    JWT_SECRET_KEY: "a secret of this run, 32 bytes at least",
  };
  const seeded = spawnSync(program, ["seed", "10000"], { env, encoding: "utf8" });
  if (seeded.status !== 0) throw new Error(`the shop was not seeded: ${seeded.error ?? seeded.stderr}`);
  const shop = await start(program, env);
  const kitchen = process.env.KITCHEN ? await start(process.env.KITCHEN, { PATH: process.env.PATH }) : undefined;
  project.provide("shop", shop.url);
  project.provide("password", password);
  project.provide("kitchen", kitchen?.url);
  return async () => {
    await Promise.all([shop.stop(), kitchen?.stop()]);
    rmSync(directory, { recursive: true });
  };
}

/** Starts a service on a free port, and waits until it is ready. */
async function start(program: string, env: Record<string, string | undefined>) {
  const address = `127.0.0.1:${await freePort()}`;
  const service = spawn(program, [], { env: { ...env, BIND: address }, stdio: "ignore" });
  const exited = new Promise((resolve) => service.once("exit", resolve));
  const url = `http://${address}`;
  await ready(`${url}/ready`);
  const stop = async () => {
    service.kill("SIGTERM");
    await exited;
  };
  return { url, stop };
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
