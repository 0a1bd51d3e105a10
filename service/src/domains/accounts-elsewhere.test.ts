import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { anIncomingMove, anOutgoingMove, noMove } from "../../test/move-builders.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { countWaitingForDkim, readClock, storeMissingIdentities } from "./dkim-store.ts";
import { dueMailFrom, takeDueMailFrom } from "./mail-from/mail-from-store.ts";
import { takeDueTenant } from "./tenant-store.ts";
import { claimDueDomains, dueDomains } from "./verification-store.ts";

const database = useTestDatabase();

/** What the chores find to do for a domain for which everything is due. */
async function chores(domainName: string): Promise<Record<string, unknown>> {
  const { db } = database;
  return {
    isCheckDue: (await change(db, dueDomains)).length > 0,
    checked: (await claimDueDomains(db, 10)).length,
    isMailFromDue: (await change(db, dueMailFrom)).length > 0,
    mailFrom: (await takeDueMailFrom(db))?.domainName,
    tenant: (await takeDueTenant(db))?.domainName,
    missing: await storeMissingIdentities(db, [`other.${domainName}`], await readClock(db)),
  };
}

test.for(["held", "frozen", "released", "unknown"] as const)(
  "no chore acts for the domain of an account whose move to another cell is %s, and all do after an undo",
  async (state) => {
    const { accountId, domainName } = await aDueDomain();
    await anOutgoingMove(database.db, accountId, state);
    expect(await chores(domainName)).toEqual({
      isCheckDue: false,
      checked: 0,
      isMailFromDue: false,
      mailFrom: undefined,
      tenant: undefined,
      missing: [],
    });
    await noMove(database.db, accountId);
    expect(await chores(domainName)).toEqual(allOf(domainName));
  },
);

test("while an account is copied its domain is checked in both cells", async () => {
  for (const move of [
    (id: string) => anOutgoingMove(database.db, id, "copying"),
    (id: string) => anIncomingMove(database.db, id, "copying"),
  ]) {
    const { accountId, domainName } = await aDueDomain();
    await move(accountId);
    expect(await chores(domainName)).toEqual(allOf(domainName));
  }
});

test("a domain that waits for DKIM in another cell does not keep this one looking", async () => {
  const { accountId } = await aDueDomain();
  await change(
    database.db,
    `update domains set verification_status = 'Pending', is_dkim_verified = false,
       record_checks = '[{"record": {"type": "TXT"}, "status": "found"}]'
     where account_id = $1`,
    [accountId],
  );
  expect(await countWaitingForDkim(database.db)).toBe(1);
  await anOutgoingMove(database.db, accountId, "frozen");
  expect(await countWaitingForDkim(database.db)).toBe(0);
});

const allOf = (domainName: string) => ({
  isCheckDue: true,
  checked: 1,
  isMailFromDue: true,
  mailFrom: domainName,
  tenant: domainName,
  missing: [domainName],
});

async function aDueDomain(): Promise<{ accountId: string; domainName: string }> {
  const { db } = database;
  await change(db, "delete from domains");
  const accountId = await anAccount(db);
  const domainName = await aVerifiedDomain(db, accountId, `d-${randomBytes(4).toString("hex")}.test`);
  await change(
    db,
    `update domains
     set next_check_at = now(), mail_from_subdomain = 'bounce', mail_from_wished_at = now(), mail_from_due_at = now(),
       mail_from_status = 'Pending', mail_from_is_applied = false
     where account_id = $1`,
    [accountId],
  );
  return { accountId, domainName };
}
