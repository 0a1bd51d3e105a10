import { randomUUID } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { aUser } from "../../../test/builders.ts";
import { aSeparateDatabase, runPostern } from "../../../test/run-postern.ts";
import { aClaimedSend, aQueuedSend, attemptOf } from "../../../test/send-builders.ts";
import { change, queueRow, sendRow, useEmptyQueue } from "../../../test/send-rows.ts";
import { createEmptyDatabase } from "../../../test/template-database.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import type { Environment } from "../../config.ts";
import { listQuarantined, quarantine } from "../../feedback/quarantine-store.ts";
import { sweepOlderSends } from "../../in-doubt/failover-sweep.ts";
import { unparkSends } from "../../queue/parked-sends.ts";
import { markFailed, markInDoubt, type SendErrorCode } from "../../queue/settle-sends.ts";
import { recordProcess } from "../../status/process-store.ts";
import { createProgram } from "../program.ts";

const database = useTestDatabase();
useEmptyQueue(database);

describe("postern status, as a process", () => {
  test("ends with code 0 without problems, and with code 1 and the problem, in text and JSON, while mail is on hold", async () => {
    expect(await postern(["status"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^✓ No problems found\.\n/),
    });
    expect(await postern(["admin", "hold", "--reason", "a test"])).toMatchObject({ code: 0 });
    const [text, json] = await Promise.all([postern(["status"]), postern(["status", "--json"])]);
    expect([text.code, json.code]).toEqual([1, 1]);
    expect(text.stdout).toMatch(
      /^1 problem found\.\n\n {2}✗ The operator put all mail on hold .*\("a test"\)\.\n {4}→ To resume: `postern/,
    );
    for (const title of ["LIVE MAIL", "TEST MAIL", "QUARANTINE", "PARTITIONS", "RECORDS", "SCHEMA"]) {
      expect(text.stdout).toMatch(new RegExp(`^${title}`, "m"));
    }
    expect(JSON.parse(json.stdout)).toMatchObject({
      isReady: true,
      sending: [{ mode: "live", operatorHold: { note: "a test" } }, { mode: "test" }],
      problems: [{ what: expect.any(String), advice: expect.any(String) }],
    });
  });

  test("says whether the record is permanent, and since when it is kept", async () => {
    expect((await postern(["status"])).stdout).toMatch(/^RECORDS +permanent; none was dropped yet$/m);
    await change(database.db, "update record_retention set retention_days = 90, dropped_before = '2026-08-01T00:00Z'");
    expect((await postern(["status"])).stdout).toMatch(
      /^RECORDS +kept for 90 days, in whole months; kept since 2026-08-01$/m,
    );
    await change(database.db, "update record_retention set retention_days = null, dropped_before = null");
  });

  test("says that live mail is not set up until there are AWS settings or a worker has reached SES", async () => {
    const notSetUp =
      /^LIVE MAIL\n {2}not set up: workers send only test mail\. To send live mail, run `postern aws setup`$/m;
    await change(database.db, "update provider_state set max_per_second = null where mode = 'live'");
    expect((await postern(["status"])).stdout).toMatch(notSetUp);
    const { stdout } = await postern(["status"], {
      AWS_FEEDBACK_QUEUE_URL: "http://127.0.0.1:4579/123456789012/postern-AA",
    });
    expect(stdout).toMatch(/^LIVE MAIL\n {2}ready/m);
    await change(database.db, "update provider_state set max_per_second = 14 where mode = 'live'");
    expect((await postern(["status"])).stdout).toMatch(/^LIVE MAIL\n {2}ready/m);
  });

  test("lists the processes with their last claims, and names one that has crashed", async () => {
    const { db } = database;
    const heartbeat = {
      version: "0.1.0",
      startedSecondsAgo: 7_260,
      claimsFailingSeconds: null,
      choresFailingSeconds: null,
      claimedSecondsAgo: { live: 4, test: null },
      isClaimable: { live: false, test: false },
      chores: [],
      chorePauseSeconds: {},
    };
    const [working, crashed] = [randomUUID(), randomUUID()];
    await recordProcess(db, { ...heartbeat, id: working, role: "worker", name: "mail-1/7" });
    await recordProcess(db, { ...heartbeat, id: crashed, role: "api", name: "mail-2/9" });
    await change(db, `update processes set seen_at = now() - interval '40 s' where id = '${crashed}'`);
    const { code, stdout } = await postern(["status"]);
    await change(db, "delete from processes");
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ The API mail-2\/9 has crashed or is frozen: its last heartbeat was 4\d s ago\./);
    expect(stdout).toMatch(
      /^WORKERS\n {2}worker {2}mail-1\/7 {2}0\.1\.0 {2}started 2 h 1 min ago +last claim: live \d+ s ago, test never$/m,
    );
    expect(stdout).toMatch(/^ {2}api {5}mail-2\/9 {2}0\.1\.0 {2}NO HEARTBEAT for 4\d s$/m);
  });

  test("reports a database without tables", async () => {
    const { url } = await aSeparateDatabase(createEmptyDatabase);
    const { code, stdout } = await postern(["status"], { DATABASE_URL: url });
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining("Run `postern migrate`") });
  });
});

describe("postern admin failover", () => {
  test("without a failover, `show` says so and `confirm-no-loss` is refused", async () => {
    expect(await outputOf("failover", "show")).toContain("No failover or restore was detected.");
    await expect(outputOf("failover", "confirm-no-loss")).rejects.toThrow("so no send is in doubt because of one");
    await expect(outputOf("failover", "undo")).rejects.toThrow('There is no command "undo"');
  });

  test("a declared failover marks mail as in doubt, `status` reports it, and `confirm-no-loss` makes it ready again", async () => {
    const { accountId } = await aUser(database.db);
    const id = await aQueuedSend(database.db, { accountId });
    expect(await outputOf("failover", "declare")).toContain("submit none");
    await expect(outputOf("failover", "confirm-no-loss")).rejects.toThrow("still marking sends as in doubt");
    while ((await sweepOlderSends(database.db))?.total === null);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt" });
    expect(await outputOf("send", "show", id)).toMatch(/1000 .* unknown +a database failover/);
    const { code, stdout } = await postern(["status"]);
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringContaining("1 of 1 sends that were queued before it are in doubt"),
    });
    expect(await outputOf("failover", "show")).toMatch(/cause +declared by the operator[\s\S]*still in doubt +1\n/);
    expect(await outputOf("failover", "confirm-no-loss")).toMatch(/^1 send ready again/);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "ready" });
    expect(await postern(["status"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^FAILOVER +failover or restore detected/m),
    });
  });
});

describe("postern admin hold and release", () => {
  test("stop and resume the mail of one account", async () => {
    const { accountId, email } = await aUser(database.db);
    const id = await aQueuedSend(database.db, { accountId });
    expect(await outputOf("hold", "--account", email)).toContain("1 queued send parked");
    expect(await queueRow(database.db, id)).toMatchObject({ state: "parked" });
    expect(await outputOf("release", "--account", accountId)).toMatch(
      /^The hold on the mail of An account has ended after 0 s/,
    );
    expect(await unparkSends(database.db, "live")).toBe(1);
    expect(await outputOf("release", "--account", accountId)).toContain("was not on hold");
    expect(await outputOf("release")).toContain("was not on hold by the operator");
  });

  test("name an account that does not exist, and an unknown argument", async () => {
    await expect(outputOf("hold", "--account", "nobody@shop.test")).rejects.toThrow(
      "There is no account nobody@shop.test",
    );
    await expect(outputOf("hold", "nobody@shop.test")).rejects.toThrow('Unknown argument "nobody@shop.test"');
  });
});

describe("postern admin send show", () => {
  test("shows the record, queue state, attempts and events of a send of any account", async () => {
    const send = await aClaimedSend(database.db, { to: ["jane@example.test"] });
    await markInDoubt(database.db, [{ ...attemptOf(send), outcome: "unknown", detail: "a reset" }]);
    await change(
      database.db,
      `insert into events (id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type)
       values (first_id_at(now()), $1, $2, 'live', 'Bounce', now(), 'jane@example.test', 'Permanent')`,
      [send.id, send.accountId],
    );
    const shown = await outputOf("send", "show", send.id);
    expect(shown).toMatch(/^status +processing$/m);
    expect(shown).toMatch(/^queue +in doubt: the outcome of attempt 1 at .* is unknown$/m);
    expect(shown).toMatch(/^ {2}1 .* unknown {2}a reset$/m);
    expect(shown).toMatch(/^ {2}\S+ \S+ UTC {2}Bounce {2}jane@example\.test {2}Permanent$/m);
  });

  test.for([
    ["an id of no send", ["show", "01a1de08-c60b-7e09-9a1f-2112aa858c67"], "There is no send"],
    ["a text that is not an id", ["show", "nonsense"], "is not the id of a send"],
    ["no id", ["show"], "The argument ID is missing."],
  ] as const)("%s is refused with the reason", async ([, args, reason]) => {
    await expect(outputOf("send", ...args)).rejects.toThrow(reason);
  });
});

describe("postern admin retry", () => {
  test("without --yes it counts failed sends and shows examples; with --yes it puts each back into the queue once", async () => {
    const one = await aFailedSend("PROVIDER_UNAVAILABLE");
    const args = ["--status", "failed", "--code", "PROVIDER_UNAVAILABLE", "--since", "5m"] as const;
    const dry = await outputOf("retry", ...args);
    expect(dry).toMatch(/^1 send accepted since .* failed with PROVIDER_UNAVAILABLE\./);
    expect(dry).toContain(one.id);
    expect(dry).toMatch(/Nothing was changed\. To retry it, add --yes\.\n$/);
    expect(await sendRow(database.db, one.id)).toMatchObject({ status: "failed" });
    expect(await outputOf("retry", ...args, "--account", one.accountId, "--yes")).toContain(
      "1 send put back into the queue",
    );
    expect(await queueRow(database.db, one.id)).toMatchObject({ state: "waiting", attempt: 1 });
    expect(await outputOf("retry", ...args, "--yes")).toContain("No send was put back into the queue.");
  });

  test("warns when recipients may get mail twice, and changes no send with another error code", async () => {
    const unknown = await aFailedSend("PROVIDER_OUTCOME_UNKNOWN");
    const since = new Date(Date.now() - 60_000).toISOString();
    await outputOf("retry", "--status", "failed", "--code", "INTERNAL", "--since", since, "--yes");
    expect(await sendRow(database.db, unknown.id)).toMatchObject({ status: "failed" });
    const code = "PROVIDER_OUTCOME_UNKNOWN";
    expect(await outputOf("retry", "--status", "failed", "--code", code, "--since", since)).toContain("a second time");
  });

  test.for([
    [["--code", "INTERNAL", "--since", "1h"], "--status is missing"],
    [["--status", "sent", "--code", "INTERNAL", "--since", "1h"], '--status must be failed, not "sent"'],
    [["--status", "failed", "--code", "NOTHING", "--since", "1h"], "--code must be PROVIDER_REJECTED, "],
    [["--status", "failed", "--code", "CANCELLED", "--since", "1h"], "--code must be PROVIDER_REJECTED, "],
    [["--status", "failed", "--since", "1h"], "--code is missing"],
    [["--status", "failed", "--code", "INTERNAL"], "--since is missing"],
    [["--status", "failed", "--code", "INTERNAL", "--since", "yesterday"], 'not "yesterday"'],
  ] as const)("wrong arguments %s are refused with the reason", async ([args, reason]) => {
    await expect(outputOf("retry", ...args)).rejects.toThrow(reason);
  });
});

describe("postern admin quarantine", () => {
  test("lists notifications, shows one as readable JSON, and schedules another try", async () => {
    expect(await outputOf("quarantine", "list")).toBe("The quarantine is empty.\n");
    expect(await outputOf("quarantine", "replay", "--all")).toBe("The quarantine is empty.\n");
    const raw = JSON.stringify({ Type: "Notification", Message: JSON.stringify({ eventType: "Delivery" }) });
    await quarantine(database.db, [{ reason: "unreadable", raw }]);
    const [entry] = await listQuarantined(database.db, { limit: 1 });
    expect(await outputOf("quarantine", "list")).toMatch(/^ *ID .*\n *\d+ .* unreadable +0 {2}none/);
    expect(await outputOf("quarantine", "show", String(entry?.id))).toContain('"eventType": "Delivery"');
    expect(await outputOf("quarantine", "replay", String(entry?.id))).toContain(
      "1 notification again within ten seconds",
    );
    expect((await listQuarantined(database.db, { limit: 1 }))[0]?.nextTryAt).not.toBeNull();
  });

  test.for([
    [["show", "999999"], "There is no entry 999999"],
    [["replay", "999999"], "There is no entry 999999"],
    [["replay"], "The id is missing"],
    [["replay", "1", "--all"], "not both"],
    [["drop", "1"], 'There is no command "drop".'],
    [["show", "one"], '"one" is not the id of an entry'],
  ] as const)("wrong arguments %s are refused with the reason", async ([args, reason]) => {
    await expect(outputOf("quarantine", ...args)).rejects.toThrow(reason);
  });
});

async function aFailedSend(code: SendErrorCode) {
  const send = await aClaimedSend(database.db);
  await markFailed(database.db, [
    { ...attemptOf(send), outcome: "try-later", code, message: "The provider was unavailable." },
  ]);
  return send;
}

/** Runs `postern admin` in this process, which is a second faster than starting one, and returns its output. */
async function outputOf(...args: readonly string[]): Promise<string> {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    await createProgram(async () => ({ DATABASE_URL: database.url })).parseAsync(["admin", ...args], { from: "user" });
    return write.mock.calls.map(([chunk]) => String(chunk)).join("");
  } finally {
    write.mockRestore();
  }
}

function postern(args: string[], env: Environment = {}) {
  return runPostern(args, { DATABASE_URL: database.url, ...env });
}
