import { randomUUIDv7 } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { auditRows } from "../../../../test/audit-rows.ts";
import { anAccount, aUser } from "../../../../test/builders.ts";
import { anOperator } from "../../../../test/operator-user.ts";
import { aQueuedSend } from "../../../../test/send-builders.ts";
import { change, queueRow } from "../../../../test/send-rows.ts";
import { aTotpUser, type TotpUser } from "../../../../test/totp-user.ts";
import { useTestApi } from "../../../../test/use-test-api.ts";
import { setOperator } from "../../../accounts/operator-store.ts";
import { quarantine } from "../../../feedback/quarantine-store.ts";

const api = useTestApi();
let operator: TotpUser;
const reason = "The account sends to bought lists";

beforeAll(async () => {
  operator = await anOperator(api);
});

test("a hold parks the queued mail of the account and shows the reason, and the release ends it", async () => {
  const accountId = await anAccount(api.database.db);
  const other = await anAccount(api.database.db);
  const [sendId, foreign] = [
    await aQueuedSend(api.database.db, { accountId }),
    await aQueuedSend(api.database.db, { accountId: other }),
  ];
  const held = await act(`accounts/${accountId}/hold`, { reason });
  expect([held.status, held.json()]).toMatchObject([200, { tenant_id: accountId, hold: { note: reason } }]);
  expect((await queueRow(api.database.db, sendId))?.state).toBe("parked");
  expect((await queueRow(api.database.db, foreign))?.state).toBe("ready");
  const released = await act(`accounts/${accountId}/release`, { reason });
  expect([released.status, released.json().hold]).toEqual([200, null]);
  expect((await act(`accounts/${accountId}/release`, { reason })).status).toBe(200);
});

test("the guard is switched and releases an account", async () => {
  const accountId = await anAccount(api.database.db);
  const hold = "update accounts set guard_held_at = now(), guard_reason = 'too many bounces' where id = $1";
  await change(api.database.db, hold, [accountId]);
  const released = await act(`accounts/${accountId}/guard/release`, { reason });
  expect(released.json().guard).toMatchObject({ held_at: null, reason: null, released_at: expect.any(String) });
  const off = await act(`accounts/${accountId}/guard`, { reason, on: false });
  expect(off.json().guard).toMatchObject({ on: false });
  const on = await act(`accounts/${accountId}/guard`, { reason, on: true });
  expect(on.json().guard).toMatchObject({ on: true });
  expect((await act(`accounts/${accountId}/guard`, { reason })).status).toBe(422);
});

test("limits and quotas change as given, and the others stay", async () => {
  const accountId = await anAccount(api.database.db);
  await act(`accounts/${accountId}/limits`, { reason, per_second: 20 }, "PATCH");
  const quotas = { reason, recipients_per_day: 5000, trial: 10 };
  const changed = await act(`accounts/${accountId}/quotas`, quotas, "PATCH");
  expect(changed.json()).toMatchObject({
    limits: { per_second: 20, per_minute: 100 },
    live: { quotas: { recipients_per_day: 5000, trial: 10, stored_content_bytes: null } },
    test: { quotas: { recipients_per_day: null } },
  });
  const lifted = await act(`accounts/${accountId}/quotas`, { reason, trial: null }, "PATCH");
  expect(lifted.json().live.quotas).toMatchObject({ recipients_per_day: 5000, trial: null });
  expect((await act(`accounts/${accountId}/limits`, { reason, per_second: 0 }, "PATCH")).status).toBe(422);
});

test("a replay makes one entry due, or all of them", async () => {
  await quarantine(api.database.db, [
    { reason: "unreadable", raw: "one" },
    { reason: "unreadable", raw: "two" },
  ]);
  const [{ id } = { id: 0 }] = await change(api.database.db, "select id from feedback_quarantine order by id limit 1");
  expect((await act("quarantine/replay", { reason, id })).json()).toEqual({ due: 1 });
  expect(await change(api.database.db, "select id from feedback_quarantine where next_try_at <= now()")).toEqual([
    { id },
  ]);
  expect((await act("quarantine/replay", { reason })).json()).toEqual({ due: 2 });
  expect((await act("quarantine/replay", { reason, id: 999_999 })).status).toBe(404);
});

test("one notification is read with a reason, and the audit of the operator's account has an entry without its text", async () => {
  const raw = `{"mail":{"destination":["canary-${randomUUIDv7()}@canary.test"]}}`;
  await quarantine(api.database.db, [{ reason: "unreadable", raw }]);
  const [{ id } = { id: 0 }] = await change(api.database.db, "select id from feedback_quarantine where raw = $1", [
    raw,
  ]);
  const path = `quarantine/${Number(id)}/read`;
  for (const given of [{}, { reason: " " }]) expect((await act(path, given)).status).toBe(422);
  const read = await act(path, { reason: "A customer asks for a bounce" });
  expect([read.status, read.json()]).toMatchObject([200, { id, reason: "unreadable", length: raw.length, raw }]);
  const entries = await auditRows(api.database.db, operator.accountId, "quarantine.read");
  expect(entries).toMatchObject([
    {
      actor_kind: "operator",
      target_kind: "quarantine",
      target_id: String(id),
      reason: "A customer asks for a bounce",
    },
  ]);
  expect(JSON.stringify(entries)).not.toContain("canary");
  expect(api.logLines.join()).not.toContain("canary");
  for (const unknown of ["999999", "x"]) {
    expect((await act(`quarantine/${unknown}/read`, { reason })).status).toBe(404);
  }
  expect(await auditRows(api.database.db, operator.accountId, "quarantine.read")).toHaveLength(1);
});

test("nobody but an operator reads a notification", async () => {
  const { accessToken } = await aTotpUser(api);
  expect((await act("quarantine/1/read", { reason }, "POST", accessToken)).status).toBe(403);
});

describe("every action", () => {
  test("needs a reason, and is 404 for an unknown account", async () => {
    const accountId = await anAccount(api.database.db);
    for (const [path, body, method] of actionsOn(accountId)) {
      for (const given of [{}, { reason: "" }, { reason: "  " }, { reason: "x".repeat(501) }]) {
        expect((await act(path, { ...body, ...given }, method)).status, path).toBe(422);
      }
    }
    for (const id of [randomUUIDv7(), "x"]) {
      for (const [path, body, method] of actionsOn(id)) {
        expect((await act(path, { ...body, reason }, method)).status, path).toBe(404);
      }
    }
  });

  test("is refused to an owner of the account, and changes nothing", async () => {
    const owner = await aUser(api.database.db);
    const state = "select held_at, guard_released_at, limit_per_second from accounts where id = $1";
    const before = await change(api.database.db, state, [owner.accountId]);
    const { accessToken } = await anOperator(api, { accountId: owner.accountId });
    await setOperator(api.database.db, (await emailOf(accessToken)) ?? "", false);
    for (const [path, body, method] of actionsOn(owner.accountId)) {
      expect((await act(path, { ...body, reason }, method, accessToken)).status, path).toBe(403);
    }
    expect(await change(api.database.db, state, [owner.accountId])).toEqual(before);
  });

  test("changes nothing when the flag is taken between the check and the action", async () => {
    const late = await anOperator(api);
    const accountId = await anAccount(api.database.db);
    const { lookup } = api.deps.authenticator;
    const find = lookup.findLogin;
    lookup.findLogin = async (token) => {
      const found = await find(token);
      await setOperator(api.database.db, late.email, false);
      return found && { ...found, operator: "operator" };
    };
    const { status } = await act(`accounts/${accountId}/hold`, { reason }, "POST", late.accessToken).finally(() => {
      lookup.findLogin = find;
    });
    expect(status).toBe(403);
    expect(await change(api.database.db, "select held_at from accounts where id = $1", [accountId])).toEqual([
      { held_at: null },
    ]);
  });

  test("is logged with the operator and the account, and without the reason, which may name a person", async () => {
    const accountId = await anAccount(api.database.db);
    const asked = `asked by jane@example.test for ${accountId}`;
    for (const [path, body, method] of actionsOn(accountId)) {
      expect((await act(path, { ...body, reason: asked }, method)).status).toBe(200);
    }
    const [entry] = await quarantine(api.database.db, [{ reason: "unreadable", raw: accountId }]).then(() =>
      change(api.database.db, "select id from feedback_quarantine where raw = $1", [accountId]),
    );
    expect((await act(`quarantine/${String(entry?.id)}/read`, { reason: asked })).status).toBe(200);
    expect((await act("quarantine/replay", { reason: asked, id: entry?.id })).status).toBe(200);
    const lines = api.logLines.filter((text) => text.includes("operator.acted"));
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ action: "hold", operator_id: operator.id, account_id: accountId }),
    );
    expect(api.logLines.filter((line) => line.includes("jane@example.test"))).toEqual([]);
  });
});

type Action = [path: string, body: object, method: "POST" | "PATCH"];

function actionsOn(accountId: string): Action[] {
  return [
    [`accounts/${accountId}/hold`, {}, "POST"],
    [`accounts/${accountId}/release`, {}, "POST"],
    [`accounts/${accountId}/guard`, { on: false }, "POST"],
    [`accounts/${accountId}/guard/release`, {}, "POST"],
    [`accounts/${accountId}/limits`, { per_second: 9 }, "PATCH"],
    [`accounts/${accountId}/quotas`, { trial: 9 }, "PATCH"],
  ];
}

async function emailOf(token: string): Promise<string | undefined> {
  return (await api.call({ method: "GET", path: "/api/v1/auth/me", token })).json().email;
}

function act(path: string, body: object, method: "POST" | "PATCH" = "POST", token = operator.accessToken) {
  return api.call({ method, path: `/api/v1/operator/${path}`, token, body });
}
