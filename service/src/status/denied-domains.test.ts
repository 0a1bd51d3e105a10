import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { holdAccount, releaseAccount, suspendAccount } from "../accounts/account-store.ts";
import { denyDomain } from "../queue/denied-domains.ts";
import { deniedDomainProblems, listDeniedDomains } from "./denied-domains.ts";

const database = useTestDatabase();

test("each denied domain is named with the action in AWS, the first ten of many", async () => {
  expect(deniedDomainProblems(await listDeniedDomains(database.db))).toEqual([]);
  const accountId = await anAccount(database.db);
  const denied = await aVerifiedDomain(database.db, accountId, "shop.test");
  await denyDomain(database.db, { accountId, domainName: denied }, "AccessDeniedException");
  const withoutSet = await aVerifiedDomain(database.db, accountId, "bank.test");
  await denyDomain(database.db, { accountId, domainName: withoutSet }, "NotFoundException");
  const problems = deniedDomainProblems(await listDeniedDomains(database.db));
  expect(problems).toMatchObject([
    {
      what: expect.stringContaining("shop.test"),
      advice: expect.stringContaining("ses:SendEmail on arn:aws:ses:eu-central-1:000000000000:identity/shop.test"),
    },
    {
      what: expect.stringContaining("bank.test"),
      advice: expect.stringContaining("configuration set postern-AA: run `postern aws setup`"),
    },
  ]);
  for (let more = 0; more < 10; more++) {
    const domainName = await aVerifiedDomain(database.db, accountId);
    await denyDomain(database.db, { accountId, domainName }, "AccessDeniedException");
  }
  const many = deniedDomainProblems(await listDeniedDomains(database.db));
  expect(many).toHaveLength(11);
  expect(many.at(-1)?.what).toBe("SES denies mail from 2 more domains.");
});

test("a denied domain of a held or suspended account is no problem of the operator", async () => {
  const before = (await listDeniedDomains(database.db)).total;
  const accountId = await anAccount(database.db);
  const domainName = await aVerifiedDomain(database.db, accountId);
  await denyDomain(database.db, { accountId, domainName }, "AccessDeniedException");
  await holdAccount(database.db, accountId, undefined);
  expect((await listDeniedDomains(database.db)).total).toBe(before);
  await releaseAccount(database.db, accountId);
  expect((await listDeniedDomains(database.db)).total).toBe(before + 1);
  await suspendAccount(database.db, accountId);
  expect((await listDeniedDomains(database.db)).total).toBe(before);
});
