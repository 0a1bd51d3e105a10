import { randomUUIDv7 } from "node:crypto";
import { changeRole, listMembers, type Member, removeMember } from "../../accounts/membership-store.ts";
import type { Role } from "../../accounts/role.ts";
import { commandLineActor } from "../../actor.ts";
import { type Environment, readPublicUrl } from "../../config.ts";
import type { AccountDatabase, Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { isInvitable } from "../../invitations/invitable-address.ts";
import { insertInvitation, invitationDays } from "../../invitations/invitation-store.ts";
import { linkWithToken, makeMailedToken } from "../../logins/mailed-token.ts";
import { aligned, say, timeText } from "../../plain-text.ts";
import { getAccountByIdOrEmail } from "../find-account.ts";

export interface MemberOptions {
  account: string;
  email: string;
}

export async function runListMembers(db: Database, accountText: string): Promise<void> {
  const account = await getAccountByIdOrEmail(db, accountText);
  const members = await listMembers(db.forAccount(account.id));
  if (members.length === 0) return say(`${account.name} has no member.`);
  const rows = members.map(({ userId, role, createdAt, email }) => [userId, role, timeText(createdAt), email]);
  say(aligned([["ID", "ROLE", "MEMBER SINCE", "EMAIL"], ...rows]));
}

export async function runInvite(
  { db, environment }: { db: Database; environment: Environment },
  { account: accountText, email, role }: MemberOptions & { role: Role },
): Promise<void> {
  const publicUrl = readPublicUrl(environment);
  if (!isInvitable(email)) throw new AppError("VALIDATION_ERROR", `"${email}" is not an email address.`);
  const account = await getAccountByIdOrEmail(db, accountText);
  const token = makeMailedToken();
  const invitation = { id: randomUUIDv7(), email, role, tokenHash: token.hash, invitedBy: undefined };
  const outcome = await insertInvitation(db.forAccount(account.id, commandLineActor()), invitation);
  if (outcome.kind === "is-member") {
    throw new AppError("CONFLICT", `${email} is already a member of ${account.name}. Use \`postern admin set-role\`.`);
  }
  if (outcome.kind !== "invited") throw new AppError("CONFLICT", `${account.name} has too many open invitations.`);
  say(
    `Pass this link on to ${email}, who becomes ${role} of ${account.name} with it. It works once, for ${invitationDays} days, and is ` +
      `not shown again.\n\n${linkWithToken(publicUrl, "invitation", token.text)}`,
  );
}

export async function runSetRole(db: Database, options: MemberOptions & { role: Role }): Promise<void> {
  const { accountDb, name, member } = await getMember(db, options);
  await changeRole(accountDb, { userId: member.userId, role: options.role });
  say(`${member.email} is ${options.role} of ${name} now (before: ${member.role}).`);
}

export async function runRemoveMember(db: Database, options: MemberOptions): Promise<void> {
  const { accountDb, name, member } = await getMember(db, options);
  await removeMember(accountDb, { userId: member.userId });
  say(
    `${member.email} is no longer a member of ${name}, and the logins of this user to the account have ended. API keys that the user ` +
      "created stay valid: `postern admin list-keys` shows all keys, `postern admin revoke-key` revokes one.",
  );
}

async function getMember(
  db: Database,
  { account: accountText, email }: MemberOptions,
): Promise<{ accountDb: AccountDatabase; name: string; member: Member }> {
  const { id, name } = await getAccountByIdOrEmail(db, accountText);
  const accountDb = db.forAccount(id, commandLineActor());
  const member = (await listMembers(accountDb)).find((each) => each.email === email.toLowerCase());
  if (member === undefined) throw new AppError("NOT_FOUND", `${name} has no member with the email ${email}.`);
  return { accountDb, name, member };
}
