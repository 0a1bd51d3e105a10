import { mkdtempSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { auditRows } from "../../../test/audit-rows.ts";
import { anApiKey, aUser } from "../../../test/builders.ts";
import { turnTotpOn } from "../../../test/operator-login.ts";
import { aQueuedSend, aVerifiedDomain } from "../../../test/send-builders.ts";
import { change, useEmptyQueue } from "../../../test/send-rows.ts";
import { anEnvironment } from "../../../test/test-config.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { readKeyIssuer } from "../../config.ts";
import { createProgram } from "../program.ts";

const database = useTestDatabase();
useEmptyQueue(database);
afterEach(() => vi.restoreAllMocks());

/** Each changing command once, and the one that reads everything, with its account, and the actions of its entries. */
const commands = (accountId: string, member: string, keyId: string): [command: string, ...actions: string[]][] => [
  [`create-key --account ${accountId} --type test --name extra`, "api-key.create"],
  [`revoke-key ${keyId}`, "api-key.revoke"],
  [`invite --account ${accountId} --email new@shop.test --role viewer`, "invitation.create"],
  [`set-role --account ${accountId} --email ${member} --role developer`, "member.role-change"],
  [`disable-totp --email ${member}`, "session.end"],
  [`reset-password --email ${member}`, "password.reset"],
  [`set-operator --email ${member}`, "operator.change"],
  [`set-operator --email ${member} --off`, "operator.change"],
  [`remove-member --account ${accountId} --email ${member}`, "member.remove"],
  [`suspend --email ${accountId}`, "account.suspend"],
  [`resume --email ${accountId}`, "account.resume"],
  [`set-limits --email ${accountId} --per-second 7`, "account.limits-change"],
  [
    `limits --account ${accountId} --recipients-per-day 5 --domains 3`,
    "account.quotas-change",
    "account.limits-change",
  ],
  [`hold --account ${accountId} --reason late`, "account.hold"],
  [`release --account ${accountId}`, "account.release"],
  [`guard --account ${accountId} --off`, "account.guard-change"],
  [`webhook-networks ${accountId} --allow 10.0.0.0/8`, "account.webhook-networks-change"],
  [`webhook-networks ${accountId} --remove 10.0.0.0/8`, "account.webhook-networks-change"],
  [`export-account ${accountId} --to ${mkdtempSync(join(tmpdir(), "postern-export-"))}`, "account.export"],
  [`discard --account ${accountId} --before 2100-01-01T00:00Z --yes`, "send.cancel"],
  [`retry --status failed --code PROVIDER_UNAVAILABLE --since 1d --account ${accountId} --yes`, "send.retry"],
];

test("each command that changes an account leaves its entry in the audit of the account, by the command line", async () => {
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const { db } = database;
  const environment = anEnvironment({ DATABASE_URL: database.url, PUBLIC_URL: "https://mail.example.com" });
  const { accountId } = await aUser(db);
  const member = await aUser(db, { accountId, role: "viewer" });
  await change(
    db,
    "insert into logins (id, user_id, account_id, expires_at) values (gen_random_uuid(), $1, $2, now() + interval '1 day')",
    [member.id, accountId],
  );
  const { id: keyId } = await anApiKey(db, readKeyIssuer(environment), accountId);
  await aQueuedSend(db, { accountId, fromDomain: await aVerifiedDomain(db, accountId) });
  const program = createProgram(async () => environment);
  for (const [command, ...actions] of commands(accountId, member.email, keyId)) {
    if (command.startsWith("set-operator")) await turnTotpOn(db, member.id);
    // The discarded send stays discarded.
    if (command.startsWith("retry"))
      await change(db, "update sends set error_code = 'PROVIDER_UNAVAILABLE' where account_id = $1", [accountId]);
    const earlier = (await auditRows(db, accountId)).length;
    await program.parseAsync(["admin", ...command.split(" ")], { from: "user" });
    const added = (await auditRows(db, accountId)).slice(earlier);
    expect([command, added.map(({ action }) => action).toSorted()]).toEqual([command, actions.toSorted()]);
    for (const { actor_kind, actor_name } of added) {
      expect([actor_kind, actor_name]).toEqual(["command-line", userInfo().username]);
    }
  }
});
