import { randomBytes, randomUUIDv7 } from "node:crypto";
import { beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { anAccount, anApiKey } from "../../test/builders.ts";
import { aQueuedSend, aSuppression, aVerifiedDomain } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { createEmptyDatabase, openTestDatabase } from "../../test/template-database.ts";
import { anEnvironment } from "../../test/test-config.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { aDelivery, aReplay, aWebhook } from "../../test/webhook-builders.ts";
import { startTestApi } from "../../test/with-test-apis.ts";
import { ConfigurationError } from "../errors.ts";
import { claimSends } from "../queue/claim-sends.ts";
import { type AccountDatabase, type Database, openDatabase, type Statement, type Transaction } from "./database.ts";
import { migrate } from "./migrate.ts";
import { requireAccountRole } from "./require-usable.ts";

const database = useTestDatabase();
let [mine, theirs] = ["", ""];

beforeAll(async () => {
  const { db } = database;
  [mine, theirs] = [await anAccount(db), await anAccount(db)];
  for (const accountId of [mine, theirs]) {
    await aVerifiedDomain(db, accountId);
    await aSuppression(db, { accountId, email: "jane@example.test" });
    await change(
      db,
      `insert into removed_suppressions (account_id, mode, email, removed_by_kind, provider_status)
       values ($1, 'test', 'jane@example.test', 'user', 'not_needed')`,
      [accountId],
    );
    const endpointId = await aWebhook(db, { accountId });
    const deliveryId = await aDelivery(db, { accountId, endpointId, state: "pending" });
    await change(
      db,
      `insert into webhook_attempts (id, delivery_id, account_id, endpoint_id, attempt) values (new_id_at(now()), $1, $2, $3, 1)`,
      [deliveryId, accountId, endpointId],
    );
    await aReplay(db, { accountId, endpointId });
    await change(
      db,
      `insert into logged_requests (id, account_id, mode, method, route, status, request_id)
       values (new_id_at(now()), $1, 'live', 'GET', '/api/v1/sends', 401, 'one')`,
      [accountId],
    );
    const sendId = await aQueuedSend(db, { accountId });
    await change(
      db,
      `insert into send_attempts (send_id, attempt, started_at, outcome) values ($1, 1, now(), 'try-later')`,
      [sendId],
    );
  }
});

describe("a bound statement without an account_id condition", () => {
  test.for([
    "sends",
    "send_queue",
    "domains",
    "suppressions",
    "removed_suppressions",
    "list_changes",
    "audit_entries",
    "webhook_endpoints",
    "webhook_secrets",
    "notifications",
    "webhook_deliveries",
    "webhook_queue",
    "webhook_attempts",
    "webhook_replays",
    "logged_requests",
  ])("finds only the rows of its own account in %s", async (table) => {
    const rows = await ask(bound(), `select account_id from ${table}`);
    expect(rows).toEqual([{ account_id: mine }]);
    expect(await change(database.db, `select from ${table}`)).toHaveLength(2);
  });

  test("finds only its own account and its own attempts", async () => {
    expect(await ask(bound(), "select id from accounts")).toEqual([{ id: mine }]);
    expect(await ask(bound(), "select send_id from send_attempts")).toEqual(
      await ask(bound(), "select id as send_id from sends"),
    );
  });

  test("reads the content of its own sends only, also if it names the other account", async () => {
    const [send] = await change(database.db, "select id from sends where account_id = $1", [theirs]);
    const [own] = await change(database.db, "select id from sends where account_id = $1", [mine]);
    const isRead = (account: string, id: unknown) =>
      ask(bound(), `select content_of_send('${account}', '${String(id)}') is not null as read`);
    expect(await isRead(mine, own?.id)).toEqual([{ read: true }]);
    for (const account of [mine, theirs]) expect(await isRead(account, send?.id)).toEqual([{ read: false }]);
  });

  test("does not change or delete rows of another account", async () => {
    const before = await change(database.db, "select * from domains where account_id = $1", [theirs]);
    expect(await ask(bound(), "update domains set next_check_at = now() returning account_id")).toEqual([
      { account_id: mine },
    ]);
    await ask(bound(), "delete from suppressions");
    expect(await change(database.db, "select account_id from suppressions")).toEqual([{ account_id: theirs }]);
    expect(await change(database.db, "select * from domains where account_id = $1", [theirs])).toEqual(before);
  });

  test("cannot give a row to another account", async () => {
    const insert = `insert into domains (account_id, domain_name, challenge_token, configuration_set_name)
      values ('${theirs}', 'given.test', 'token', 'set')`;
    await expect(ask(bound(), insert)).rejects.toThrow("row-level security");
    await expect(ask(bound(), `update domains set account_id = '${theirs}'`)).rejects.toThrow("row-level security");
  });

  test("finds no rows when no account is set", async () => {
    await database.db.withTransaction(async (tx) => {
      await tx.query({ name: "role-alone", text: "set local role pg_database_owner" });
      expect(await tx.query({ name: "all-sends", text: "select id from sends" })).toEqual([]);
    });
  });
});

describe("a statement that is bound to an account has no right", () => {
  test.for([
    ["to read the hash of a key", "select secret_hmac from api_keys"],
    ["to read the hash of a secret", "select hmac from api_key_secrets"],
    ["to change the scopes of a key", "update api_keys set scopes = '{send,read}'"],
    ["to change the hash of a secret", "update api_key_secrets set hmac = '\\x00'"],
    ["to read why an account is on hold", "select hold_note from accounts"],
    ["to read whether the provider holds mail", "select hold_reason from provider_state"],
    ["to change an account", "update accounts set limit_per_second = 1000"],
    // Its status belongs to the route that cancels it.
    ["to change what a send says", "update sends set subject = 'other'"],
    ["to change when a send goes out", "update send_queue set fair_at = now()"],
    ["to read the content of scheduled sends", "select sealed from scheduled_sends"],
    ["to read attachments", "select sealed from attachment_chunks"],
    ["to read kept attachments", "select sealed from kept_attachment_chunks"],
    ["to read attachments of requests in progress", "select send_id from pending_attachments"],
    ["to read a partition directly", "select id from sends_default"],
    ["to read the hash of a password", "select password_hash from users"],
    ["to read the home account of a user", "select account_id from users"],
    ["to read who is an operator", "select is_operator from users"],
    ["to make somebody an operator", "update users set is_operator = true"],
    ["to make a login one of an operator", "update logins set totp_login_at = now()"],
    ["to change a user", "update users set email = 'other@example.com'"],
    ["to read the hash of an invitation", "select token_hash from invitations"],
    ["to read password resets", "select user_id from password_resets"],
    ["to read OIDC identities", "select subject from oidc_identities"],
    ["to read used OIDC states", "select state_hash from used_oidc_states"],
    ["to mark a membership as one by OIDC", "update memberships set from_oidc = true"],
    ["to add a member", "insert into memberships (user_id) values (gen_random_uuid())"],
    ["to move a membership to another user", "update memberships set user_id = gen_random_uuid()"],
    ["to read logins", "select id from logins"],
    ["to read contents", "select id from send_contents"],
    ["to read kept contents", "select id from kept_contents"],
    ["to change the time of a view", "update content_views set expires_at = now()"],
    ["to read search entries", "select send_id from send_searches"],
    ["to read keys of the installation", "select name from sealed_keys"],
    ["to allow itself a network", "insert into webhook_networks (network) values ('10.0.0.0/8')"],
    ["to widen a network", "update webhook_networks set network = '0.0.0.0/0'"],
    ["to change an audit entry", "update audit_entries set actor_name = 'nobody'"],
    ["to delete an audit entry", "delete from audit_entries"],
    ["to change the request log", "update logged_requests set address = null"],
    ["to delete from the request log", "delete from logged_requests"],
    ["to read how full the request log is", "select entries from logged_request_hours"],
    ["to claim that SES reported a suppression", "update suppressions set reported_reason = 'complaint'"],
    ["to read the removals of other accounts", "select email from suppression_removals"],
  ] as const)("%s", async ([, text]) => {
    await expect(ask(bound(), text)).rejects.toMatchObject({ code: "42501" });
  });

  test("on a table without row-level security", async () => {
    const open = await change(
      database.db,
      `select c.relname
       from pg_class c
       where c.relnamespace = 'public'::regnamespace
         and c.relkind in ('r', 'p', 'v', 'm')
         and not c.relrowsecurity
         and (has_any_column_privilege('pg_database_owner', c.oid, 'select, insert, update')
           or has_table_privilege('pg_database_owner', c.oid, 'delete, truncate'))`,
    );
    expect(open).toEqual([]);
  });
});

test("after a bound statement the connection is no longer bound, also when the statement failed", async () => {
  const db = openDatabase({
    url: database.url,
    poolSize: 1,
    applicationName: "postern-test",
    onIdleError: () => undefined,
  });
  onTestFinished(() => db.close());
  const state = () => ask(db, "select current_user as role, current_setting('postern.account_id', true) as account");
  const [before] = await state();
  expect(await ask(db.forAccount(mine), "select current_user as role, acting_account() as account")).toEqual([
    { role: "pg_database_owner", account: mine },
  ]);
  await expect(ask(db.forAccount(mine), "select 1 / 0")).rejects.toThrow("division by zero");
  expect(await state()).toEqual([{ ...before, account: "" }]);
  expect(db.connections()).toEqual({ total: 1, idle: 1, waiting: 0 });
});

test("a bound statement fails when the account id is not a UUID", async () => {
  await expect(ask(database.db.forAccount("' or true"), "select id from sends")).rejects.toThrow(
    "invalid input syntax",
  );
});

test("a bound statement whose connection ends fails as unavailable, and the pool still works", async () => {
  const db = openDatabase({
    url: database.url,
    poolSize: 1,
    applicationName: "postern-test",
    onIdleError: () => undefined,
  });
  onTestFinished(() => db.close());
  // The rejection is awaited from the start, because it can happen before the query that causes it returns.
  const killed = expect(ask(db.forAccount(mine), "select pg_sleep(10)")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  const kill =
    "select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(10)' and datname = current_database()";
  await expect.poll(() => change(database.db, kill).then((rows) => rows.length)).toBeGreaterThan(0);
  await killed;
  expect(await ask(db.forAccount(mine), "select 1 as value")).toEqual([{ value: 1 }]);
});

test("row-level security does not change the plans of statements that serve all accounts", async () => {
  const statements: Statement[] = [];
  const recording: Database = {
    ...database.db,
    query: (statement) => {
      statements.push(statement);
      return database.db.query(statement);
    },
  };
  const { app, deps } = await startTestApi(recording, anEnvironment(), []);
  onTestFinished(() => app.close());
  const { key } = await anApiKey(database.db, deps.apiKeyIssuer, mine);
  const mail = { from: "a@elsewhere.test", to: ["jane@example.test"], subject: "Hello", text: "Hi" };
  const sent = await app.inject({ method: "POST", url: "/api/v1/send", headers: { "x-api-key": key }, payload: mail });
  expect(sent.statusCode).toBe(400);
  await claimSends(recording, {
    mode: "live",
    maxSends: 10,
    maxRecipients: 10,
    fromFairAt: "-infinity",
    isProbe: false,
  });
  const names = statements.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["find-keys-by-hmacs", "accept-sends", "claim-sends"]));

  const explain = (tx: Transaction) =>
    Promise.all(
      statements.map((statement) =>
        tx.query<unknown>({ ...statement, text: `explain (costs off) ${statement.text}`, isPlannedEachTime: true }),
      ),
    );
  const undo = new Error("undo");
  const compared = database.db.withTransaction(async (tx) => {
    const withPolicies = await explain(tx);
    for (const { relname } of await ask(tx, "select relname from pg_class where relrowsecurity")) {
      await ask(tx, `alter table ${String(relname)} disable row level security`);
    }
    expect(await explain(tx)).toEqual(withPolicies);
    throw undo;
  });
  await expect(compared).rejects.toBe(undo);
});

describe("database users", () => {
  test("the owner of a database needs no other right to migrate and to run bound statements", async () => {
    const { db } = await aDatabaseOf(await aRole());
    const [one, other] = [await anAccount(db), await anAccount(db)];
    for (const accountId of [one, other]) await aVerifiedDomain(db, accountId);
    await requireAccountRole(db);
    expect(await ask(db.forAccount(one), "select account_id from domains")).toEqual([{ account_id: one }]);
    expect(await ask(db, "select from domains")).toHaveLength(2);
  });

  test("a user who is not the owner gets the statement that an administrator has to run, and it works", async () => {
    const [owner, user] = [await aRole(), await aRole()];
    const { db, as } = await aDatabaseOf(owner);
    const guest = as(user);
    const refusal = await requireAccountRole(guest).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ConfigurationError);
    const advice = /run once: (alter database .+ owner to .+);/.exec(String(refusal))?.[1] ?? "";
    await change(db, `grant all on all tables in schema public to ${user}`);
    await change(as("postern"), advice);
    await requireAccountRole(guest);

    // Row-level security binds only statements that run as pg_database_owner, not the owner itself.
    const accountId = await anAccount(guest);
    await aVerifiedDomain(guest, accountId);
    expect(await ask(guest, "select account_id from domains")).toEqual([{ account_id: accountId }]);
    expect(await ask(guest.forAccount(randomUUIDv7()), "select account_id from domains")).toEqual([]);
  });
});

function bound(): AccountDatabase {
  return database.db.forAccount(mine);
}

function ask(db: Pick<Database, "query">, text: string): Promise<Record<string, unknown>[]> {
  return db.query<Record<string, unknown>>({ name: "ask", text, isPlannedEachTime: true });
}

/** A role that may log in and has no other right. */
async function aRole(): Promise<string> {
  const name = `rls_${randomBytes(5).toString("hex")}`;
  await change(database.db, `create role ${name} login`);
  onTestFinished(async () => void (await change(database.db, `drop role ${name}`)));
  return name;
}

async function aDatabaseOf(owner: string) {
  const { url, drop } = await createEmptyDatabase(inject("serverUrl"));
  const opened: Database[] = [];
  const urlOf = (user: string) => Object.assign(new URL(url), { username: user }).href;
  const as = (user: string) => {
    const db = openTestDatabase(urlOf(user));
    opened.push(db);
    return db;
  };
  onTestFinished(async () => {
    for (const db of opened) await db.close();
    await drop();
  });
  await change(as("postern"), `alter database ${new URL(url).pathname.slice(1)} owner to ${owner}`);
  await migrate(urlOf(owner), () => undefined);
  return { db: as(owner), as };
}
