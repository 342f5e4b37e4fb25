// The tracker behind nginx: a team, its owner, and a page with the board.

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { until } from "./support.js";

export const PASSWORD = "correct horse battery";
const NGINX = process.env.NGINX ?? "/usr/sbin/nginx";
const clients = fileURLToPath(new URL("../..", import.meta.url));

/** Whether this machine has the tracker and nginx. */
export const hasTracker = Boolean(process.env.TRACKER) && existsSync(NGINX);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The settings of the guide's page, without TLS. `/held` is a proxy that holds streams back. */
function settings(directory: string, port: number, service: number): string {
  const proxied = `
      proxy_pass http://tracker/;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_connect_timeout 2s;
      proxy_read_timeout 35s;
      proxy_send_timeout 35s;`;
  return `daemon off;
pid ${directory}/pid;
error_log ${directory}/error.log;
worker_processes 1;
events { worker_connections 512; }
http {
  types { text/html html; text/javascript js; }
  access_log ${directory}/access.log;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  upstream tracker { server 127.0.0.1:${service}; keepalive 32; keepalive_timeout 10s; }
  server {
    listen 127.0.0.1:${port};
    location /api/ {${proxied}
    }
    location /held/ {${proxied}
      proxy_ignore_headers X-Accel-Buffering;
    }
    location /node_modules/@crud-runtime/client/ { alias ${clients}typescript/; }
    location / { root ${clients}board; }
  }
}`;
}

export async function startTracker() {
  const directory = mkdtempSync(join(tmpdir(), "tracker-"));
  const [port, servicePort] = [await freePort(), await freePort()];
  const direct = `http://127.0.0.1:${servicePort}`;
  const env = {
    PATH: process.env.PATH,
    BIND: `127.0.0.1:${servicePort}`,
    DATABASE_URL: process.env.TRACKER_DATABASE ?? `sqlite://${join(directory, "tracker.db")}`,
    JWT_SECRET_KEY: "a secret of this run, 32 bytes at least",
    ADMIN_PASSWORD: PASSWORD,
    RUST_LOG: "warn",
  };
  let service: ChildProcess;
  const start = async () => {
    service = spawn(process.env.TRACKER!, [], { env, stdio: "ignore" });
    await until(async () => Boolean((await fetch(`${direct}/ready`).catch(() => null))?.ok), 30);
  };
  const kill = async (signal: "SIGKILL" | "SIGTERM") => {
    const exited = new Promise((resolve) => service.once("exit", resolve));
    service.kill(signal);
    await exited;
  };
  await start();
  mkdirSync(join(directory, "nginx"));
  const file = join(directory, "nginx.conf");
  writeFileSync(file, settings(join(directory, "nginx"), port, servicePort));
  const nginx = spawn(NGINX, ["-c", file, "-p", directory], { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  await until(async () => Boolean((await fetch(`${url}/api/ready`).catch(() => null))?.ok));

  /** Requests as a user, straight to the service, as by curl. */
  async function client(username: string) {
    const send = (path: string, method: string, body: unknown, token?: string) =>
      fetch(direct + path, {
        method,
        headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    const login = await send("/auth/login", "POST", { username, password: PASSWORD });
    const { access_token: token } = (await login.json()) as { access_token: string };
    return async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
      const answer = await send(path, method, body, token);
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return answer.status === 204 ? {} : ((await answer.json()) as Record<string, unknown>);
    };
  }

  const operator = await client("admin");
  const { id: user_id } = await operator("POST", "/auth/users", { username: "olga", password: PASSWORD });
  const { id: team_id } = await operator("POST", "/teams", { name: "red" });
  await operator("POST", "/members", { team_id, user_id, name: "Olga", role: "owner" });

  return {
    url,
    direct,
    client,
    /** Kills the service, and starts it again on its database. */
    async restart(): Promise<void> {
      await kill("SIGKILL");
      await start();
    },
    async stop(): Promise<void> {
      nginx.kill("SIGTERM");
      await kill("SIGTERM");
      rmSync(directory, { recursive: true });
    },
  };
}

export type Tracker = Awaited<ReturnType<typeof startTracker>>;
