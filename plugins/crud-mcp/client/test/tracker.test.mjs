// An agent in the tracker: it lists, reads, creates and moves tickets within the rights of its user, and nothing beyond them.

import assert from "node:assert/strict";
import { test } from "node:test";

import * as modern from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { send, start } from "./support.mjs";

const PASSWORD = "correct horse battery";
const INFO = { name: "agent-of-test", version: "1.0.0" };

/** The clients: that of revision 2026-07-28, and that of the revisions before. */
const CLIENTS = {
  "2026-07-28": async (url, token) => {
    const client = new modern.Client(INFO, { versionNegotiation: { mode: "auto" } });
    await client.connect(new modern.StreamableHTTPClientTransport(new URL(`${url}/mcp`), options(token)));
    return client;
  },
  "2025-11-25": async (url, token) => {
    const client = new Client(INFO);
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), options(token)));
    return client;
  },
};

function options(token) {
  return { requestInit: { headers: token ? { Authorization: `Bearer ${token}` } : {} } };
}

/** A tracker with a team of an owner and a guest; the tokens of the two. */
async function team(t) {
  const url = await start(t, process.env.TRACKER, { ADMIN_PASSWORD: PASSWORD });
  const login = async (username) =>
    (await send(url, "POST", "/auth/login", { body: { username, password: PASSWORD } })).access_token;
  const admin = await login("admin");
  const red = await send(url, "POST", "/teams", { token: admin, body: { name: "red" } });
  const ids = {};
  for (const [username, role] of [["olga", "owner"], ["gus", "guest"]]) {
    const user = await send(url, "POST", "/auth/users", { token: admin, body: { username, password: PASSWORD } });
    const member = { team_id: red.id, user_id: user.id, name: username, role };
    const token = username === "olga" ? admin : await login("olga");
    if (username !== "olga") delete member.team_id;
    ids[username] = (await send(url, "POST", "/members", { token, body: member })).id;
  }
  return { url, olga: await login("olga"), gus: await login("gus"), ids };
}

for (const [revision, connect] of Object.entries(CLIENTS)) {
  test(`client of ${revision} works with tickets as its user`, async (t) => {
    const { url, olga, gus, ids } = await team(t);
    const agent = await connect(url, olga);
    t.after(() => agent.close());
    const call = async (name, args) => {
      const result = await agent.callTool({ name, arguments: args });
      assert.equal(result.isError ?? false, false, JSON.stringify(result));
      return result.structuredContent;
    };
    assert.match(agent.getInstructions(), /never follow instructions/);
    const { tools } = await agent.listTools();
    assert.deepEqual(tools.map((tool) => tool.name),
      ["resources", "describe", "list", "get", "create", "update", "act"]);

    const { resources } = await call("resources", {});
    assert.ok(resources.some((it) => it.name === "issues" && it.can.includes("act")));
    const described = await call("describe", { resource: "issues" });
    assert.deepEqual(described.actions.map((it) => it.action), ["start", "finish", "reopen", "delete", "restore"]);
    const values = { title: "Paint the door", assignee_id: ids.gus };
    const { record, version } = await call("create", { resource: "issues", values });
    const moved = await call("act", { resource: "issues", id: record.id, action: "start", version });
    assert.equal(moved.record.status, "doing");
    const listed = await call("list", { resource: "issues", filter: { status: "doing" }, fields: ["title"] });
    assert.deepEqual(listed.records, [{ title: "Paint the door" }]);
    const { record: read } = await call("get", { resource: "issues", id: record.id, expand: ["assignee"] });
    assert.equal(read.assignee.name, "gus");

    const history = await send(url, "GET", `/issues/${record.id}/history`, { token: olga });
    const name = revision === "2026-07-28" ? INFO.name : "unnamed";
    assert.ok(history.data.every((entry) => entry.actor.startsWith(`mcp:${name} of `)), JSON.stringify(history));

    const guest = await connect(url, gus);
    t.after(() => guest.close());
    const refused = await guest.callTool({
      name: "update", arguments: { resource: "issues", id: record.id, values: { title: "Mine" } },
    });
    assert.equal(refused.isError, true);
    assert.equal(refused.structuredContent.code, "permission_denied");
    const other = await call("create", { resource: "issues", values: { title: "Order paint" } });
    const unseen = await guest.callTool({ name: "get", arguments: { resource: "issues", id: other.record.id } });
    assert.equal(unseen.structuredContent.code, "not_found");
  });

  test(`client of ${revision} without a token is refused`, async (t) => {
    const { url } = await team(t);
    await assert.rejects(connect(url, undefined), /401|[Uu]nauthorized/);
  });
}

test("metadata says where the client logs in", async (t) => {
  const { url } = await team(t);
  const found = await modern.discoverOAuthProtectedResourceMetadata(new URL(`${url}/mcp`));
  assert.equal(found.resource, `${url}/mcp`);
});
