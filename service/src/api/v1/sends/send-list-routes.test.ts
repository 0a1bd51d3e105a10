import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { aLogin, anApiKey } from "../../../../test/builders.ts";
import { aQueuedSend } from "../../../../test/send-builders.ts";
import { change } from "../../../../test/send-rows.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";

const api = useTestApi();

interface SendList {
  sends: { id: string; status: string; mode: string }[];
  pagination: { limit: number; next_before: string | null };
}

interface Credential {
  accountId: string;
  token?: string;
  key?: string;
}

async function aSession(): Promise<Credential & { token: string }> {
  const { accountId, accessToken } = await aLogin(api.database.db, api.deps.loginDeps);
  return { accountId, token: accessToken };
}

function sends({ token, key }: Credential, query = "") {
  const credential = key === undefined ? { token: token ?? "" } : { key };
  return api.call({ method: "GET", path: `/api/v1/sends${query}`, ...credential });
}

async function listed(session: Credential, query = ""): Promise<SendList> {
  const response = await sends(session, query);
  expect(response.status).toBe(200);
  return response.json().data;
}

async function idsOf(session: Credential, query = ""): Promise<string[]> {
  return (await listed(session, query)).sends.map(({ id }) => id);
}

/** Returns the ids, oldest first. */
async function someSends(accountId: string, count: number, options = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await aQueuedSend(api.database.db, { accountId, ...options }));
  return ids.toSorted();
}

/** Inserts settled sends one millisecond apart; the newest has the time `endsAt`. */
async function manySends(accountId: string, count: number, endsAt = new Date().toISOString()): Promise<void> {
  await change(
    api.database.db,
    `insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject)
     select new_id_at($3::timestamptz - make_interval(secs => n / 1000.0)), $1, 'live', 'sent', 'a@shop.test',
       '{jane@example.test}', 1, 0, 'Hello'
     from generate_series(0, $2::integer - 1) as n`,
    [accountId, count, endsAt],
  );
}

describe("GET /api/v1/sends returns 200", () => {
  test("with the records of GET /api/v1/send/:id/status, newest first", async () => {
    const session = await aSession();
    const ids = await someSends(session.accountId, 3);
    const list = await listed(session);
    expect(list.sends.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(list.pagination).toEqual({ limit: 50, next_before: null });
    const path = `/api/v1/send/${ids[0]}/status`;
    expect(list.sends[2]).toEqual((await api.call({ method: "GET", path, token: session.token })).json());
  });

  test("with an empty list for an account without sends", async () => {
    expect(await listed(await aSession())).toEqual({ sends: [], pagination: { limit: 50, next_before: null } });
  });

  test("with the sends after before, until next_before is null", async () => {
    const session = await aSession();
    const ids = await someSends(session.accountId, 5);
    const read: string[] = [];
    let query: string | undefined = "?limit=2";
    while (query !== undefined) {
      const { sends: page, pagination }: SendList = await listed(session, query);
      read.push(...page.map(({ id }) => id));
      query = pagination.next_before === null ? undefined : `?limit=2&before=${pagination.next_before}`;
    }
    expect(read).toEqual(ids.toReversed());
  });

  test.each([
    ["ready", "queued"],
    ["waiting", "queued"],
    ["leased", "processing"],
    ["in-doubt", "processing"],
  ])("with a send in queue state %s only for the status %s", async (state, status) => {
    const session = await aSession();
    const [id] = await someSends(session.accountId, 1);
    await change(api.database.db, "update send_queue set state = $2, due_at = now() where id = $1", [id, state]);
    const other = status === "queued" ? "processing" : "queued";
    expect(await listed(session, `?status=${status}`)).toMatchObject({ sends: [{ id, status }] });
    expect(await idsOf(session, `?status=${other}`)).toEqual([]);
    expect(await idsOf(session, "?status=sent")).toEqual([]);
  });

  test.each(["sent", "delivered", "bounced", "complained", "suppressed", "failed"])(
    "with the sends of status %s",
    async (status) => {
      const session = await aSession();
      const [id] = await someSends(session.accountId, 2);
      await change(
        api.database.db,
        "update sends set status = $2, error_code = 'INTERNAL', error_message = 'x' where id = $1",
        [id, status],
      );
      expect(await listed(session, `?status=${status}`)).toMatchObject({ sends: [{ id, status }] });
    },
  );

  test("with the sends to an address in to, cc or bcc, in any spelling", async () => {
    const session = await aSession();
    const { accountId } = session;
    const [id] = await someSends(accountId, 1, { to: ["a@x.test"], cc: ["Jane@X.test"], bcc: ["b@x.test"] });
    await someSends(accountId, 1, { to: ["other@x.test"] });
    for (const email of ["a@x.test", "jane@x.test", "JANE@x.TEST", "b@x.test"]) {
      expect(await idsOf(session, `?recipient=${encodeURIComponent(email)}`)).toEqual([id]);
    }
    const [other] = await someSends(accountId, 1, { to: ["a@xn--exmple-cua.test"] });
    expect(await idsOf(session, `?recipient=${encodeURIComponent("A@exämple.test")}`)).toEqual([other]);
  });

  test("with the sends from a domain, with or without a display name", async () => {
    const session = await aSession();
    const { accountId } = session;
    const ids = await someSends(accountId, 3, { fromDomain: "shop.test" });
    await someSends(accountId, 1, { fromDomain: "other-shop.test" });
    const from = "update sends set from_address = $2 where id = $1";
    await change(api.database.db, from, [ids[0], "Shop <orders@Shop.test>"]);
    expect(await idsOf(session, "?domain=SHOP.test")).toEqual(ids.toReversed());
    await change(api.database.db, from, [ids[1], "orders@exämple.test"]);
    await change(api.database.db, from, [ids[2], "orders@xn--exmple-cua.test"]);
    for (const domain of ["exämple.test", "xn--exmple-cua.test"]) {
      expect(await idsOf(session, `?domain=${encodeURIComponent(domain)}`)).toEqual([ids[2], ids[1]]);
    }
  });

  test("with the send that has the provider message id", async () => {
    const session = await aSession();
    const [id] = await someSends(session.accountId, 2);
    const messageId = randomBytes(8).toString("hex");
    await change(api.database.db, "update sends set provider_message_id = $2 where id = $1", [id, messageId]);
    expect(await idsOf(session, `?provider_message_id=${messageId}`)).toEqual([id]);
  });

  test("with the sends of a period", async () => {
    const session = await aSession();
    await manySends(session.accountId, 3, "2026-11-16T10:00:00.002Z");
    const count = async (query: string) => (await idsOf(session, query)).length;
    expect(await count("?since=2026-11-16T10:00:00.001Z")).toBe(2);
    expect(await count("?until=2026-11-16T10:00:00.001Z")).toBe(1);
    expect(await count("?since=2026-11-16T10:00:00.001Z&until=2026-11-16T10:00:00.002Z")).toBe(1);
  });

  test("with next_before after searching 10,000 sends for a filter", async () => {
    const session = await aSession();
    const [id] = await someSends(session.accountId, 1, { to: ["rare@x.test"], fromDomain: "rare.test" });
    await manySends(session.accountId, 10_000, new Date(Date.now() + 60_000).toISOString());
    const first = await listed(session, "?domain=rare.test");
    expect(first).toEqual({ sends: [], pagination: { limit: 50, next_before: expect.any(String) } });
    const second = await listed(session, `?domain=rare.test&before=${first.pagination.next_before}`);
    expect(second).toMatchObject({ sends: [{ id }], pagination: { next_before: null } });
    expect(await listed(session, "?recipient=rare%40x.test")).toEqual(second);
  });

  test("without sends of another account", async () => {
    const [session, other] = [await aSession(), await aSession()];
    const [id] = await someSends(other.accountId, 1, { to: ["theirs@x.test"] });
    expect(await idsOf(session)).toEqual([]);
    expect(await idsOf(session, "?recipient=theirs%40x.test")).toEqual([]);
    expect(await idsOf(other, "?recipient=theirs%40x.test")).toEqual([id]);
  });

  test("for a JWT with the sends of both modes or of the mode in the query, and for a key with those of its mode", async () => {
    const session = await aSession();
    const { accountId } = session;
    const [liveSend] = await someSends(accountId, 1);
    const [testSend] = await someSends(accountId, 1, { mode: "test" });
    const keyOf = async (type: "live" | "test") => ({
      accountId,
      key: (await anApiKey(api.database.db, api.deps.apiKeyIssuer, accountId, { type, scopes: ["read"] })).key,
    });
    const inOrder = [liveSend, testSend].map(String).toSorted().toReversed();
    expect(await idsOf(session)).toEqual(inOrder);
    expect((await listed(session)).sends.map(({ mode }) => mode)).toEqual(
      inOrder.map((id) => (id === liveSend ? "live" : "test")),
    );
    expect(await idsOf(session, "?mode=live")).toEqual([liveSend]);
    expect(await idsOf(session, "?mode=test")).toEqual([testSend]);
    expect(await idsOf(await keyOf("live"))).toEqual([liveSend]);
    expect(await idsOf(await keyOf("test"), "?mode=test")).toEqual([testSend]);
  });

  test("with the sends of both modes in one order over all pages", async () => {
    const session = await aSession();
    const ids: string[] = [];
    for (let n = 0; n < 9; n++) {
      ids.push(
        await aQueuedSend(api.database.db, { accountId: session.accountId, mode: n % 3 === 0 ? "test" : "live" }),
      );
    }
    const read: string[] = [];
    let before: string | null = null;
    do {
      const { sends: page, pagination }: SendList = await listed(
        session,
        `?limit=2${before === null ? "" : `&before=${before}`}`,
      );
      read.push(...page.map(({ id }) => id));
      before = pagination.next_before;
    } while (before !== null);
    expect(read).toEqual(ids.toSorted().toReversed());
  });
});

test("GET /api/v1/sends returns 401 without a credential", async () => {
  expect((await api.call({ method: "GET", path: "/api/v1/sends" })).status).toBe(401);
});

test.each([
  ["limit=0", "limit"],
  ["limit=101", "limit"],
  ["status=open", "status"],
  ["before=x", "before"],
  ["since=now", "since"],
  ["provider_message_id=%00", "provider_message_id"],
  ["domain=", "domain"],
  ["page=1", "page"],
])("GET /api/v1/sends returns 422 for ?%s, naming the parameter", async (query, field) => {
  const response = await sends(await aSession(), `?${query}`);
  expect(response.status).toBe(422);
  expect(response.json().error.details[0].field).toBe(field);
});
