import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { aUser } from "../../../test/builders.ts";
import { aClaimedSend, aQueuedSend, attemptOf } from "../../../test/send-builders.ts";
import { change, queueRow, sendRow, useEmptyQueue } from "../../../test/send-rows.ts";
import { posternPath } from "../../../test/spawn-postern.ts";
import { createEmptyDatabase } from "../../../test/template-database.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import type { Environment } from "../../config.ts";
import type { Database } from "../../db/database.ts";
import { listQuarantined, quarantine } from "../../feedback/quarantine-store.ts";
import { sweepOlderSends } from "../../in-doubt/failover-sweep.ts";
import { unparkSends } from "../../queue/parked-sends.ts";
import { leaveInDoubt, markFailed, type SendErrorCode } from "../../queue/settle-sends.ts";
import { runFailover } from "./failover.ts";
import { runHold, runRelease } from "./holds.ts";
import { runQuarantine } from "./quarantine.ts";
import { runRetry } from "./retry.ts";
import { runSend } from "./send.ts";

const database = useTestDatabase();
useEmptyQueue(database);

describe("postern status, as a process", () => {
  test("ends with 0 when all is well; with 1 when mail is held, and says so to people and to machines", async () => {
    expect(await postern(["status"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^✓ All is well\.\n/) });
    expect(await postern(["admin", "hold", "--reason", "a try"])).toMatchObject({ code: 0 });
    const [people, machines] = await Promise.all([postern(["status"]), postern(["status", "--json"])]);
    expect([people.code, machines.code]).toEqual([1, 1]);
    expect(people.stdout).toMatch(
      /^1 thing needs attention\.\n\n {2}✗ All mail is held .*\("a try"\)\.\n {4}→ `postern/,
    );
    for (const part of ["LIVE MAIL", "TEST MAIL", "QUARANTINE", "PARTITIONS", "SCHEMA"]) {
      expect(people.stdout).toMatch(new RegExp(`^${part}`, "m"));
    }
    expect(JSON.parse(machines.stdout)).toMatchObject({
      isReady: true,
      sending: [{ mode: "live", operatorHold: { note: "a try" } }, { mode: "test" }],
      problems: [{ what: expect.any(String), advice: expect.any(String) }],
    });
  });

  test("tells of a database without tables", async () => {
    const { url, drop } = await createEmptyDatabase(inject("serverUrl"));
    onTestFinished(drop);
    const { code, stdout } = await postern(["status"], { DATABASE_URL: url });
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining("Run `postern migrate`") });
  });
});

describe("postern admin failover", () => {
  test("shows that there was none, and has nothing to take back", async () => {
    expect(await said(runFailover, "show")).toContain("No failover or restore was noticed.");
    await expect(said(runFailover, "confirm-no-loss")).rejects.toThrow("so nothing is in doubt by one");
    await expect(said(runFailover, "undo")).rejects.toThrow('There is no "failover undo"');
  });

  test("a declared change puts mail in doubt, status tells of it, and `confirm-no-loss` takes it back", async () => {
    const { accountId } = await aUser(database.db);
    const id = await aQueuedSend(database.db, { accountId });
    expect(await said(runFailover, "declare")).toContain("hand nothing over");
    await expect(said(runFailover, "confirm-no-loss")).rejects.toThrow("still being put in doubt");
    while ((await sweepOlderSends(database.db))?.total === null);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "in-doubt" });
    expect(await said(runSend, "show", id)).toMatch(/1000 .* unknown +the database server changed/);
    const { code, stdout } = await postern(["status"]);
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringContaining("1 of 1 sends of before are in doubt"),
    });
    expect(await said(runFailover, "show")).toMatch(/by +declared by the operator[\s\S]*still in doubt +1\n/);
    expect(await said(runFailover, "confirm-no-loss")).toMatch(/^1 send ready again/);
    expect(await queueRow(database.db, id)).toMatchObject({ state: "ready" });
    expect(await postern(["status"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^SERVER +failover or restore noticed/m),
    });
  });
});

describe("postern admin hold and release", () => {
  test("stop and start the mail of one account", async () => {
    const { accountId, email } = await aUser(database.db);
    const id = await aQueuedSend(database.db, { accountId });
    expect(await said(runHold, "--account", email)).toContain("1 send put aside");
    expect(await queueRow(database.db, id)).toMatchObject({ state: "parked" });
    expect(await said(runRelease, "--account", accountId)).toMatch(
      /^The mail of An account goes on, after a hold of 0 s/,
    );
    expect(await unparkSends(database.db, "live")).toBe(1);
    expect(await said(runRelease, "--account", accountId)).toContain("was not held");
    expect(await said(runRelease)).toContain("was not held by an operator");
  });

  test("name an account that is not there, and a word that is no option", async () => {
    await expect(said(runHold, "--account", "nobody@shop.test")).rejects.toThrow(
      "There is no account nobody@shop.test",
    );
    await expect(said(runHold, "nobody@shop.test")).rejects.toThrow("is no option");
  });
});

describe("postern admin send show", () => {
  test("shows record, queue, attempts and events of a send of any account", async () => {
    const send = await aClaimedSend(database.db, { to: ["jane@example.test"] });
    await leaveInDoubt(database.db, [{ ...attemptOf(send), outcome: "unknown", detail: "a reset" }]);
    await change(
      database.db,
      `insert into events (id, send_id, account_id, mode, event_type, event_at, recipient, bounce_type)
       values (first_id_at(now()), $1, $2, 'live', 'Bounce', now(), 'jane@example.test', 'Permanent')`,
      [send.id, send.accountId],
    );
    const shown = await said(runSend, "show", send.id);
    expect(shown).toMatch(/^status +processing$/m);
    expect(shown).toMatch(/^queue +in doubt: nobody knows what became of attempt 1 /m);
    expect(shown).toMatch(/^ {2}1 .* unknown {2}a reset$/m);
    expect(shown).toMatch(/^ {2}\S+ \S+ UTC {2}Bounce {2}jane@example\.test {2}Permanent$/m);
  });

  test.for([
    ["an id that nobody has", ["show", "01a1de08-c60b-7e09-9a1f-2112aa858c67"], "There is no send"],
    ["no id", ["show", "nonsense"], "is not the id of a send"],
    ["nothing", [], "Say which send"],
  ] as const)("with %s says so", async ([, args, reason]) => {
    await expect(said(runSend, ...args)).rejects.toThrow(reason);
  });
});

describe("postern admin retry", () => {
  test("counts and shows first, and puts back with --yes, once", async () => {
    const one = await aFailedSend("PROVIDER_UNAVAILABLE");
    const args = ["--status", "failed", "--code", "PROVIDER_UNAVAILABLE", "--since", "5m"] as const;
    const dry = await said(runRetry, ...args);
    expect(dry).toMatch(/^1 send accepted since .* failed with PROVIDER_UNAVAILABLE\./);
    expect(dry).toContain(one.id);
    expect(dry).toMatch(/Nothing was changed\. .* --yes puts it back\.\n$/);
    expect(await sendRow(database.db, one.id)).toMatchObject({ status: "failed" });
    expect(await said(runRetry, ...args, "--account", one.accountId, "--yes")).toContain("1 send put back");
    expect(await queueRow(database.db, one.id)).toMatchObject({ state: "waiting", attempt: 1 });
    expect(await said(runRetry, ...args, "--yes")).toContain("None was put back.");
  });

  test("warns before what may arrive twice, and touches nothing of another code", async () => {
    const unknown = await aFailedSend("PROVIDER_OUTCOME_UNKNOWN");
    const since = new Date(Date.now() - 60_000).toISOString();
    await said(runRetry, "--status", "failed", "--code", "INTERNAL", "--since", since, "--yes");
    expect(await sendRow(database.db, unknown.id)).toMatchObject({ status: "failed" });
    const code = "PROVIDER_OUTCOME_UNKNOWN";
    expect(await said(runRetry, "--status", "failed", "--code", code, "--since", since)).toContain("a second time");
  });

  test.for([
    [["--code", "INTERNAL", "--since", "1h"], "--status failed"],
    [["--status", "failed", "--since", "1h"], "--code is missing"],
    [["--status", "failed", "--code", "INTERNAL"], "--since is missing"],
    [["--status", "failed", "--code", "INTERNAL", "--since", "yesterday"], 'not "yesterday"'],
  ] as const)("misused as %s it says why", async ([args, reason]) => {
    await expect(said(runRetry, ...args)).rejects.toThrow(reason);
  });
});

describe("postern admin quarantine", () => {
  test("lists, shows readably, and lets a worker try again", async () => {
    expect(await said(runQuarantine, "list")).toBe("The quarantine is empty.\n");
    expect(await said(runQuarantine, "replay", "--all")).toBe("The quarantine is empty.\n");
    const raw = JSON.stringify({ Type: "Notification", Message: JSON.stringify({ eventType: "Delivery" }) });
    await quarantine(database.db, [{ reason: "unreadable", raw }]);
    const [entry] = await listQuarantined(database.db, 1);
    expect(await said(runQuarantine, "list")).toMatch(/^ *ID .*\n *\d+ .* unreadable +0 {2}no more/);
    expect(await said(runQuarantine, "show", String(entry?.id))).toContain('"eventType": "Delivery"');
    expect(await said(runQuarantine, "replay", String(entry?.id))).toContain("1 notification within ten seconds");
    expect((await listQuarantined(database.db, 1))[0]?.nextTryAt).not.toBeNull();
  });

  test.for([
    [["show", "999999"], "There is no entry 999999"],
    [["replay", "999999"], "There is no entry 999999"],
    [["replay"], "The id is missing"],
    [["replay", "1", "--all"], "not both"],
    [["drop", "1"], 'There is no "quarantine drop"'],
  ] as const)("misused as %s it says why", async ([args, reason]) => {
    await expect(said(runQuarantine, ...args)).rejects.toThrow(reason);
  });
});

async function aFailedSend(code: SendErrorCode) {
  const send = await aClaimedSend(database.db);
  await markFailed(database.db, [{ ...attemptOf(send), outcome: "try-later", code, message: "It could not be." }]);
  return send;
}

/** What the command prints; it runs here, because a process for each would cost a second. */
async function said(command: (db: Database, args: string[]) => Promise<void>, ...args: readonly string[]) {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    await command(database.db, [...args]);
    return write.mock.calls.map(([chunk]) => String(chunk)).join("");
  } finally {
    write.mockRestore();
  }
}

async function postern(args: string[], env: Environment = {}) {
  const child = spawn(process.execPath, [posternPath, ...args], {
    cwd: mkdtempSync(join(tmpdir(), "postern-operator-")),
    env: { DATABASE_URL: database.url, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 9_000,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}
