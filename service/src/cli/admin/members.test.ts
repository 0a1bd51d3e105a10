import { expect, test } from "vitest";
import { anAccount, aUser } from "../../../test/builders.ts";
import { runPostern } from "../../../test/run-postern.ts";
import { tokenIn } from "../../../test/system-mail-fixture.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { findOpenInvitation } from "../../invitations/open-invitation-store.ts";
import { hashOfToken } from "../../logins/mailed-token.ts";

const shared = useTestDatabase();
const admin = (...args: string[]) =>
  runPostern(["admin", ...args], { DATABASE_URL: shared.url, PUBLIC_URL: "https://mail.example.com" });

test("list-members shows every member with the role, and set-role and remove-member change it", async () => {
  const owner = await aUser(shared.db);
  const { accountId } = owner;
  const member = await aUser(shared.db, { accountId, role: "viewer" });
  const list = async () => (await admin("list-members", "--account", accountId)).stdout;
  expect(await list()).toMatch(new RegExp(`owner .* ${owner.email}\\n.* viewer .* ${member.email}\\n$`));
  const role = await admin("set-role", "--account", accountId, "--email", member.email, "--role", "developer");
  expect(role).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("developer of An account now (before: viewer)"),
  });
  const removed = await admin("remove-member", "--account", accountId, "--email", member.email);
  expect(removed).toMatchObject({ code: 0, stdout: expect.stringContaining("no longer a member") });
  expect(await list()).not.toContain(member.email);
});

test("the last owner stays, and an unknown member is named", async () => {
  const { accountId, email } = await aUser(shared.db);
  const last = await admin("remove-member", "--account", accountId, "--email", email);
  expect([last.code, last.stderr]).toEqual([1, expect.stringContaining("at least one owner")]);
  const unknown = await admin("set-role", "--account", accountId, "--email", "nobody@shop.test", "--role", "owner");
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    expect.stringContaining("no member with the email nobody@shop.test"),
  ]);
});

test("invite prints a link from PUBLIC_URL whose token opens the invitation, also for an account without members", async () => {
  const accountId = await anAccount(shared.db);
  const { code, stdout } = await admin(
    "invite",
    "--account",
    accountId,
    "--email",
    "Jane@shop.test",
    "--role",
    "owner",
  );
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^https:\/\/mail\.example\.com\/invitation#token=[\w-]+$/m),
  ]);
  expect(await findOpenInvitation(shared.db, hashOfToken(tokenIn(stdout)))).toMatchObject({
    accountId,
    email: "jane@shop.test",
    role: "owner",
  });
});
