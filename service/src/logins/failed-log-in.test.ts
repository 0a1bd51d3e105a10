import { expect, test } from "vitest";
import { auditRows } from "../../test/audit-rows.ts";
import { aUser } from "../../test/builders.ts";
import { aTotpUser, logInWith } from "../../test/totp-user.ts";
import { useTestApi } from "../../test/use-test-api.ts";
import { noteFailedLogin } from "./failed-log-in.ts";

const api = useTestApi();

const failures = async (user: string) =>
  (await api.deps.metrics.registry.getSingleMetric("postern_failed_logins_total")?.get())?.values.find(
    ({ labels }) => labels.user === user,
  )?.value ?? 0;

test("wrong passwords of a known user leave one entry a minute, however many come at once", async () => {
  const user = await aUser(api.database.db);
  const before = await failures("known");
  const wrong = { email: user.email.toUpperCase(), password: "wrong" };
  await Promise.all(Array.from({ length: 4 }, () => logInWith(api, wrong)));
  const entries = await auditRows(api.database.db, user.accountId, "log-in.fail");
  // The minute may end in between.
  expect([1, 2]).toContain(entries.length);
  expect(entries[0]).toMatchObject({
    actor_kind: "anonymous",
    target_id: user.id,
    target_name: user.email,
    after: { wrong: "password" },
    address: "203.0.113.1",
  });
  expect(await failures("known")).toBe(before + 4);
});

test("a wrong password of an unknown name is counted, and stored nowhere", async () => {
  const before = await failures("unknown");
  const email = "nobody-at-all@example.com";
  expect((await logInWith(api, { email, password: "wrong" })).status).toBe(401);
  expect(await failures("unknown")).toBe(before + 1);
  const rows = await api.database.db.query({
    name: "entries-with-the-name",
    text: "select from audit_entries e where e::text like '%nobody-at-all%'",
  });
  expect(rows).toEqual([]);
});

test("a wrong code after the right password is a failed log-in as well", async () => {
  const user = await aTotpUser(api);
  expect((await logInWith(api, user, { recovery_code: "aaaa-aaaa-aaaa-aaaa" })).status).toBe(401);
  expect(await auditRows(api.database.db, user.accountId, "log-in.fail")).toMatchObject([{ after: { wrong: "code" } }]);
});

test("an attempt with the right password leaves an entry, also without a code and after a wrong password in the same minute", async () => {
  const user = await aTotpUser(api);
  await logInWith(api, { ...user, password: "wrong" });
  for (let tries = 0; tries < 3; tries++) expect((await logInWith(api, user)).status).toBe(401);
  await logInWith(api, user, { totp_code: "000000" });
  const entries = await auditRows(api.database.db, user.accountId, "log-in.fail");
  const kinds = new Set(entries.map(({ after }) => JSON.stringify(after)));
  expect(kinds).toEqual(
    new Set(['{"wrong": "password"}', '{"missing": "code"}', '{"wrong": "code"}'].map((text) => text.replace(" ", ""))),
  );
});

test("neither known nor unknown names wait for the disk, so that the time does not tell them apart", async () => {
  const { db } = api.database;
  const user = await aUser(db);
  for (const email of [user.email, "nobody-else@example.com"]) {
    const [before, after] = await db.withTransaction(async (tx) => {
      const setting = async () =>
        (
          await tx.query<{ value: string }>({
            name: "commit",
            text: "select current_setting('synchronous_commit') as value",
          })
        )[0]?.value;
      const first = await setting();
      await noteFailedLogin(tx, api.deps.loginDeps, { email, address: "203.0.113.9" }, { wrong: "password" });
      return [first, await setting()];
    });
    expect([before, after]).toEqual(["on", "off"]);
  }
});

test("a log-in with a recovery code says so", async () => {
  const user = await aTotpUser(api);
  expect((await logInWith(api, user, { recovery_code: user.recoveryCodes[0] })).status).toBe(200);
  const [, entry] = await auditRows(api.database.db, user.accountId, "log-in");
  expect(entry).toMatchObject({ actor_id: user.id, after: { second_factor: "recovery-code" } });
});
