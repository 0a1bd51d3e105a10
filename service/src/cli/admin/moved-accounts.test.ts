import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { auditRows } from "../../../test/audit-rows.ts";
import { anApiKey, aUser } from "../../../test/builders.ts";
import { anIncomingMove, anOutgoingMove } from "../../../test/move-builders.ts";
import { aQueuedSend, aVerifiedDomain } from "../../../test/send-builders.ts";
import { change, queueRow, sendRow, useEmptyQueue } from "../../../test/send-rows.ts";
import { anEnvironment } from "../../../test/test-config.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { readKeyIssuer } from "../../config.ts";
import { explainError } from "../explain-error.ts";
import { createProgram } from "../program.ts";

const database = useTestDatabase();
useEmptyQueue(database);
afterEach(async () => {
  vi.restoreAllMocks();
  for (const table of ["outgoing_moves", "incoming_moves"]) await change(database.db, `delete from ${table}`);
});
const retryAll = "retry --status failed --code PROVIDER_UNAVAILABLE --since 1d --yes";
const environment = () => anEnvironment({ DATABASE_URL: database.url, PUBLIC_URL: "https://mail.example.com" });

const commands = (accountId: string, keyId: string) => [
  `${retryAll} --account ${accountId}`,
  `discard --account ${accountId} --before 2100-01-01T00:00Z --yes`,
  `revoke-key ${keyId} --cancel-queued`,
  `set-limits --email ${accountId} --per-second 7`,
  `limits --account ${accountId} --domains 3`,
  `create-key --account ${accountId} --type test --name extra`,
  `hold --account ${accountId} --reason late`,
  `guard --account ${accountId} --off`,
  `webhook-networks ${accountId} --allow 10.0.0.0/8`,
  `export-account ${accountId} --to ${mkdtempSync(join(tmpdir(), "postern-export-"))}`,
  `resume --email ${accountId}`,
];

test.for(["held", "frozen", "released", "unknown", "incoming"] as const)(
  "no command changes an account whose move is %s, and each says why",
  async (state) => {
    const { accountId, keyId, failed, queued } = await anAccountWithMail();
    await change(database.db, "update accounts set suspended_at = now() where id = $1", [accountId]);
    if (state === "incoming") await anIncomingMove(database.db, accountId, "copying");
    else await anOutgoingMove(database.db, accountId, state);
    const before = await everything(accountId, failed, queued);
    for (const command of commands(accountId, keyId)) {
      const answer = await run(command);
      expect([command, answer.exitCode, answer.said]).toEqual([
        command,
        1,
        expect.stringContaining("This account is moving to another cell, or has moved there"),
      ]);
      expect(await everything(accountId, failed, queued)).toEqual(before);
    }
  },
);

test("a retry over all accounts leaves out those that moved, and queues the sends of the others", async () => {
  const [moved, other] = [await anAccountWithMail(), await anAccountWithMail()];
  await anOutgoingMove(database.db, moved.accountId, "released");
  expect(await run(retryAll)).toMatchObject({ exitCode: 0 });
  expect(await queueRow(database.db, other.failed)).toMatchObject({ state: "waiting" });
  expect(await queueRow(database.db, moved.failed)).toBeUndefined();
});

test.for(["copying", "held", "frozen", "unknown", "incoming"] as const)(
  "an address is not erased while a move is %s, neither in its account nor in all, but in others",
  async (state) => {
    const [moving, other] = [await anAccountWithMail(), await anAccountWithMail()];
    if (state === "incoming") await anIncomingMove(database.db, moving.accountId, "copying");
    else await anOutgoingMove(database.db, moving.accountId, state);
    for (const scope of ["", ` --account ${moving.accountId}`]) {
      const { exitCode, said } = await run(`erase-address jane@example.test${scope}`);
      expect([exitCode, said]).toEqual([1, expect.stringContaining(`Account ${moving.accountId} is being moved`)]);
    }
    expect(await addressOf(moving.queued)).toBe("jane@example.test");
    expect(await run(`erase-address jane@example.test --account ${other.accountId}`)).toMatchObject({ exitCode: 0 });
  },
);

test("an address is erased from what is left of an account that was released, with its entry", async () => {
  const { accountId, queued } = await anAccountWithMail();
  await change(database.db, "delete from send_queue where id = $1", [queued]);
  await anOutgoingMove(database.db, accountId, "released");
  expect(await run("erase-address jane@example.test")).toMatchObject({ exitCode: 0 });
  expect(await addressOf(queued)).not.toBe("jane@example.test");
  expect((await auditRows(database.db, accountId)).at(-1)).toMatchObject({ action: "address.erase" });
});

async function run(command: string): Promise<{ exitCode: number; said: string }> {
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const errors = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  let exitCode = 0;
  try {
    await createProgram(async () => environment()).parseAsync(["admin", ...command.split(" ")], { from: "user" });
  } catch (error) {
    exitCode = explainError(error);
  }
  const said = errors.mock.calls.map(([text]) => String(text)).join("");
  vi.restoreAllMocks();
  return { exitCode, said };
}

async function anAccountWithMail() {
  const { db } = database;
  const { accountId } = await aUser(db);
  const { id: keyId } = await anApiKey(db, readKeyIssuer(environment()), accountId);
  const owner = { accountId, fromDomain: await aVerifiedDomain(db, accountId), apiKeyId: keyId };
  const queued = await aQueuedSend(db, { ...owner, to: ["jane@example.test"] });
  const failed = await aQueuedSend(db, owner);
  await change(db, "delete from send_queue where id = $1", [failed]);
  await change(
    db,
    "update sends set status = 'failed', error_code = 'PROVIDER_UNAVAILABLE', error_message = 'late' where id = $1",
    [failed],
  );
  return { accountId, keyId, failed, queued };
}

async function addressOf(sendId: string): Promise<unknown> {
  const [row] = await change(database.db, "select to_addresses[1] as address from sends where id = $1", [sendId]);
  return row?.address;
}

async function everything(accountId: string, ...sendIds: string[]): Promise<unknown> {
  const { db } = database;
  return [
    await change(db, "select to_jsonb(a) as row from accounts a where id = $1", [accountId]),
    await change(db, "select to_jsonb(k) as row from api_keys k where account_id = $1 order by id", [accountId]),
    await auditRows(db, accountId),
    await Promise.all(sendIds.flatMap((id) => [sendRow(db, id), queueRow(db, id)])),
  ];
}
