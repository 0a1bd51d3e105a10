import { randomUUIDv7 } from "node:crypto";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request as startRequest } from "node:http";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, expect, test } from "vitest";
import { aLogin, anAccount, type TestLogin } from "../../../../test/builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { suspendAccount } from "../../../accounts/account-store.ts";
import { listAudit } from "../../../audit/list-audit.ts";
import { createOpenExports } from "../../http/exports/open-exports.ts";
import { exportAudit, exportPageSize } from "./audit-export.ts";

const api = useTestApi();
const started: ClientRequest[] = [];
let url = "";

beforeAll(async () => {
  url = await api.app.listen({ port: 0, host: "127.0.0.1" });
});
afterEach(() => {
  for (const request of started.splice(0)) request.destroy();
});

const anOwner = () => aLogin(api.database.db, api.deps.loginDeps);

const read = async ({ accessToken }: TestLogin, query = "") =>
  api.call({ method: "GET", path: `/api/v1/audit/export${query}`, token: accessToken });

const authenticateAgain = () => Promise.resolve();
const linesOf = (text: string) => text.trimEnd().split("\n");

test("the export has every entry as a line, over several pages", async () => {
  const owner = await anOwner();
  await manyEntries(owner.accountId, 1_200);
  const { headers, text } = await read(owner);
  expect(headers["content-type"]).toContain("application/x-ndjson");
  expect(new Set(linesOf(text).map((line) => JSON.parse(line).id)).size).toBe(1_202);
  expect(linesOf((await read(owner, "?action=log-in")).text)).toHaveLength(1);
});

test("as CSV, an entry is a line with before and after as JSON, and a spreadsheet runs no cell", async () => {
  const owner = await anOwner();
  await api.call({
    method: "POST",
    path: "/api/v1/api-keys",
    token: owner.accessToken,
    body: { name: "=cmd()", type: "test" },
  });
  const { headers, text } = await read(owner, "?format=csv&target_kind=api-key");
  expect(headers["content-type"]).toContain("text/csv");
  expect(headers["content-disposition"]).toBe('attachment; filename="audit.csv"');
  const [header, line = "", ...others] = text.trimEnd().split("\r\n");
  expect(header).toBe(
    "id,at,actor_kind,actor_id,actor_name,action,target_kind,target_id,target_name,before,after,address,request_id,reason",
  );
  expect(line).toContain(`,user,${owner.id},${owner.email},api-key.create,api-key,`);
  expect(line).toContain(",'=cmd(),,");
  expect(line).toContain('""name"": ""=cmd()""'.replaceAll(": ", ":"));
  expect(others).toEqual([]);
  expect((await read(owner, "?format=xml")).status).toBe(422);
});

test("before continues an export after its last line, also among entries of one millisecond", async () => {
  const owner = await anOwner();
  await manyEntries(owner.accountId, 150);
  const all = linesOf((await read(owner)).text);
  const { id } = JSON.parse(all[120] ?? "");
  expect(linesOf((await read(owner, `?before=${id}`)).text)).toEqual(all.slice(121));
});

test("an export whose client does not read ends after its time, and holds no connection meanwhile", async () => {
  const stream = await anExport({ pageMs: 100 });
  stream.read(1);
  await sleep(50);
  expect(api.database.db.connections().waiting).toBe(0);
  expect(String(await errorOf(stream))).toContain("stopped reading");
});

test("an export whose client never begins to read ends after its time", async () => {
  expect(String(await errorOf(await anExport({ pageMs: 100 })))).toContain("stopped reading");
});

test("an export ends after its total time, also when its client keeps reading slowly", async () => {
  const stream = await anExport({ pageMs: 1_000, totalMs: 300 });
  const reading = setInterval(() => stream.read(500), 5);
  const error = await errorOf(stream);
  clearInterval(reading);
  expect(String(error)).toContain("took too long");
});

test("a client that does not read makes the process keep a few pages of the export at most", async () => {
  const stream = await anExport({});
  stream.read(1);
  await sleep(200);
  expect(stream.readableLength).toBeLessThan(100_000);
  stream.destroy();
});

test("429 with Retry-After for a third open export of an account, until one of them ends", async () => {
  const [owner, other] = [await anOwner(), await anOwner()];
  await manyEntries(owner.accountId, 6_000, 2_000);
  const [first] = [await startExport(owner), await startExport(owner)];
  const { status, headers } = await read(owner);
  expect([status, headers["retry-after"]]).toEqual([429, "30"]);
  expect((await read(other)).status).toBe(200);
  first.destroy();
  await expect
    .poll(async () => (await read(owner, "?until=2020-01-01T00:00:00Z")).status, { timeout: 5_000 })
    .toBe(200);
});

test.for([
  ["is removed", async ({ accountId, id }) => removeMember(accountId, id)],
  ["becomes a developer", async ({ accountId, id }) => demote(accountId, id)],
  ["is in an account that is suspended", ({ accountId }) => suspendAccount(api.database.db, accountId)],
] satisfies [string, (owner: TestLogin) => Promise<unknown>][])(
  "an export of an owner who %s ends at the next page, with an error",
  async ([, end]) => {
    const { accountId } = await anOwner();
    const owner = await aLogin(api.database.db, api.deps.loginDeps, { accountId });
    await manyEntries(accountId, 6_000, 2_000);
    const response = await startExport(owner);
    await end(owner);
    let lines = 0;
    const reading = (async () => {
      for await (const chunk of response) lines += String(chunk).split("\n").length - 1;
    })();
    await expect(reading).rejects.toThrow("aborted");
    expect(lines).toBeGreaterThan(0);
    expect(lines).toBeLessThan(6_000);
  },
);

test("HEAD is refused, because it would read the whole audit for nobody", async () => {
  const { accessToken } = await anOwner();
  const { status, headers } = await api.call({ method: "HEAD", path: "/api/v1/audit/export", token: accessToken });
  expect([status, headers.allow]).toEqual([405, "GET"]);
});

test("all accounts together have 16 open exports in a process", () => {
  const openExports = createOpenExports();
  const closing = Array.from({ length: 16 }, (_, index) => openExports.open(`account ${index}`));
  expect(() => openExports.open("another")).toThrow("all accounts");
  // The second call for the same export changes nothing.
  for (let count = 0; count < 2; count++) closing[0]?.();
  openExports.open("another");
  expect(() => openExports.open("yet another")).toThrow("all accounts");
});

test("an export that fails before its first line does not count as open", async () => {
  const openExports = createOpenExports();
  const readPage = () => Promise.reject(new Error("no database"));
  for (let count = 0; count < 3; count++) {
    await expect(exportAudit({ accountId: "one", openExports, readPage, authenticateAgain })).rejects.toThrow(
      "no database",
    );
  }
});

async function callAs(colleagueOf: string, request: { method: "DELETE" | "PATCH"; path: string; body?: unknown }) {
  const { accessToken } = await aLogin(api.database.db, api.deps.loginDeps, { accountId: colleagueOf });
  expect((await api.call({ ...request, token: accessToken })).status).toBe(200);
}

const removeMember = (accountId: string, id: string) =>
  callAs(accountId, { method: "DELETE", path: `/api/v1/members/${id}` });

const demote = (accountId: string, id: string) =>
  callAs(accountId, { method: "PATCH", path: `/api/v1/members/${id}`, body: { role: "developer" } });

/** An export of 1,200 entries, read by the test alone. */
async function anExport(times: { pageMs?: number; totalMs?: number }): Promise<Readable> {
  const accountId = await anAccount(api.database.db);
  await manyEntries(accountId, 1_200);
  const db = api.database.db.forAccount(accountId);
  const readPage = (before?: string) => listAudit(db, { limit: exportPageSize, before });
  return exportAudit({ accountId, openExports: createOpenExports(), readPage, authenticateAgain, ...times });
}

const errorOf = (stream: Readable) => new Promise((resolve) => stream.on("error", resolve));

/** Over a connection of its own. The client reads nothing until the test does. */
async function startExport({ accessToken }: TestLogin): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${accessToken}` };
  const request = startRequest(`${url}/api/v1/audit/export`, { agent: false, headers });
  started.push(request);
  request.on("error", () => undefined).end();
  const [response] = await once(request, "response");
  return response;
}

async function manyEntries(accountId: string, count: number, factBytes = 10): Promise<void> {
  await change(
    api.database.db,
    `insert into audit_entries (id, account_id, actor_kind, action, target_kind, target_id, after)
     select new_id_at(now()), $1, 'system', 'account.hold', 'account', $2, jsonb_build_object('note', repeat('x', $4::integer))
     from generate_series(1, $3::integer)`,
    [accountId, randomUUIDv7(), count, factBytes],
  );
}
