import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request as startRequest } from "node:http";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { aLogin, anApiKey, type TestLogin } from "../../../../test/builders.ts";
import { aSuppression } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";

const api = useTestApi();
const db = () => api.database.db;
const started: ClientRequest[] = [];
let url = "";

beforeAll(async () => {
  url = await api.app.listen({ port: 0, host: "127.0.0.1" });
});
afterEach(() => {
  for (const request of started.splice(0)) request.destroy();
});

const anOwner = () => aLogin(db(), api.deps.loginDeps);
const lists = ["suppression", "sends", "events"] as const;
type List = (typeof lists)[number];

function read({ accessToken }: { accessToken: string }, list: List, query = "") {
  return api.call({ method: "GET", path: `/api/v1/${list}/export${query}`, token: accessToken });
}

const linesOf = (text: string) => text.trimEnd().split(/\r?\n/);

/** In statements of at most 2,000 rows, which a busy machine stores in time. */
async function manyEntries(accountId: string, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 2_000) await storeEntries(accountId, Math.min(left, 2_000), left);
}

/** So many entries in each of the three lists. The suppressions are of both modes and numbered down from `from`. */
async function storeEntries(accountId: string, count: number, from: number): Promise<void> {
  await change(
    db(),
    `insert into suppressions (id, account_id, mode, email, reason, note)
     select new_id_at(now()), $1, case when number % 2 = 0 then 'live' else 'test' end, 'n' || number || '@x.test',
       case when number % 3 = 0 then 'manual' else 'hard_bounce' end, repeat('x', 400)
     from generate_series($3::integer - $2::integer + 1, $3) as number`,
    [accountId, count, from],
  );
  await change(
    db(),
    `insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject, queued_at)
     select new_id_at(now()), $1, 'live', 'delivered', '=cmd@shop.test', array['n' || number || '@x.test', 'b@x.test'], 2, 0,
       '=HYPERLINK("http://x.test")' || repeat('x', 300), now()
     from generate_series(1, $2::integer) as number`,
    [accountId, count],
  );
  await change(
    db(),
    `insert into events (id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type, reply)
     select new_id_at(now()), gen_random_uuid(), $1, 'live', 'Bounce', now(), 'n' || number || '@x.test', 'Permanent', repeat('x', 400)
     from generate_series(1, $2::integer) as number`,
    [accountId, count],
  );
}

describe.for(lists)("GET /api/v1/%s/export", (list) => {
  test("has every entry once, over several pages, as NDJSON and as CSV", async () => {
    const owner = await anOwner();
    await manyEntries(owner.accountId, 1_200);
    await manyEntries((await anOwner()).accountId, 3);
    const json = await read(owner, list);
    expect(json.headers["content-type"]).toContain("application/x-ndjson");
    const ids: string[] = linesOf(json.text).map((line) => JSON.parse(line).id);
    expect([ids.length, new Set(ids).size]).toEqual([1_200, 1_200]);
    expect(ids).toEqual(ids.toSorted().toReversed());
    const csv = await read(owner, list, "?format=csv");
    expect(csv.headers["content-type"]).toContain("text/csv");
    expect(csv.headers["content-disposition"]).toContain(".csv");
    const [header, ...rows] = linesOf(csv.text);
    expect(header).toMatch(/^id,/);
    expect(rows.map((row) => row.split(",")[0])).toEqual(ids);
  });

  test("continues after the last line with before, and reads one mode with mode", async () => {
    const owner = await anOwner();
    await manyEntries(owner.accountId, 700);
    const all = linesOf((await read(owner, list)).text);
    const { id } = JSON.parse(all[520] ?? "");
    expect(linesOf((await read(owner, list, `?before=${id}`)).text)).toEqual(all.slice(521));
    const live = linesOf((await read(owner, list, "?mode=live")).text).map((line) => JSON.parse(line).mode);
    expect(new Set(live)).toEqual(new Set(["live"]));
  });

  test("is empty for an empty list, and with the header alone as CSV", async () => {
    const owner = await anOwner();
    expect((await read(owner, list)).text).toBe("");
    expect(linesOf((await read(owner, list, "?format=csv")).text)).toHaveLength(1);
  });

  test("is for keys that read, and 401 for others", async () => {
    const { accountId } = await anOwner();
    const call = async (scopes: ("send" | "read" | "suppressions")[]) => {
      const { key } = await anApiKey(db(), api.deps.apiKeyIssuer, accountId, { scopes });
      return (await api.call({ method: "GET", path: `/api/v1/${list}/export`, key })).status;
    };
    expect([await call(["read"]), await call(["send"]), await call(["suppressions"])]).toEqual([200, 401, 401]);
  });

  test("ends with an error at the next page when the login loses its account", async () => {
    const { accountId } = await anOwner();
    const viewer = await aLogin(db(), api.deps.loginDeps, { accountId, role: "viewer" });
    await manyEntries(accountId, 8_000);
    const response = await startExport(viewer, list);
    await change(db(), "delete from memberships where user_id = $1", [viewer.id]);
    let lines = 0;
    const reading = (async () => {
      for await (const chunk of response) lines += String(chunk).split("\n").length - 1;
    })();
    await expect(reading).rejects.toThrow("aborted");
    expect(lines).toBeLessThan(8_000);
  });

  test("refuses HEAD, an unknown format and a page", async () => {
    const owner = await anOwner();
    const head = await api.call({
      method: "HEAD",
      path: `/api/v1/${list}/export`,
      token: owner.accessToken,
    });
    // Among suppressions it is the path of an address, which is not listed.
    expect(head.status).toBe(list === "suppression" ? 404 : 405);
    expect((await read(owner, list, "?format=xml")).json().error.details[0].field).toBe("format");
    expect((await read(owner, list, "?page=2")).status).toBe(422);
  });
});

test("429 for a third open export of an account, whatever the lists", async () => {
  const owner = await anOwner();
  await manyEntries(owner.accountId, 8_000);
  const [first] = [await startExport(owner, "sends"), await startExport(owner, "events")];
  const { status, headers } = await read(owner, "suppression");
  expect([status, headers["retry-after"]]).toEqual([429, "30"]);
  first.destroy();
  await expect.poll(async () => (await read(owner, "suppression")).status, { timeout: 5_000 }).toBe(200);
});

test("a filter exports what the list shows with it", async () => {
  const owner = await anOwner();
  await manyEntries(owner.accountId, 30);
  const reasons = linesOf((await read(owner, "suppression", "?reason=manual")).text).map((line) => JSON.parse(line));
  expect([reasons.length, new Set(reasons.map(({ reason }) => reason))]).toEqual([10, new Set(["manual"])]);
  expect(linesOf((await read(owner, "events", "?recipient=n7@x.test")).text)).toHaveLength(1);
  expect((await read(owner, "events", "?type=Delivery")).text).toBe("");
  expect(linesOf((await read(owner, "sends", "?recipient=n7@x.test")).text)).toHaveLength(1);
});

test("a spreadsheet runs no cell of an export", async () => {
  const owner = await anOwner();
  await manyEntries(owner.accountId, 1);
  await aSuppression(db(), { accountId: owner.accountId, email: "+plus@x.test" });
  const texts = await Promise.all(lists.map(async (list) => (await read(owner, list, "?format=csv")).text));
  for (const text of texts) expect(text).not.toMatch(/(^|,|")([=+\-@\t]|\r(?!\n))/m);
  expect(texts[0]).toContain("'+plus@x.test");
});

/** Over a connection of its own. The client reads nothing until the test does. */
async function startExport({ accessToken }: TestLogin, list: List): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${accessToken}` };
  const request = startRequest(`${url}/api/v1/${list}/export`, { agent: false, headers });
  started.push(request);
  request.on("error", () => undefined).end();
  const [response] = await once(request, "response");
  return response;
}
