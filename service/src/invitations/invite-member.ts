import { randomUUIDv7 } from "node:crypto";
import type { Role } from "../accounts/role.ts";
import type { AccountDatabase, Database } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { LoginThrottle } from "../logins/login-throttle.ts";
import { countMail } from "../logins/mail-throttle.ts";
import { linkWithToken, makeMailedToken, type SendSystemMail } from "../logins/mailed-token.ts";
import { type Invitation, insertInvitation, invitationDays } from "./invitation-store.ts";

const perAccountAndHour = 50;
const perTargetAndHour = 5;
/** From all accounts together: no account may keep another from inviting a person, but nobody should get more mails than this. */
const mailsPerTargetAndHour = 20;

export interface InviteDeps {
  /** Counts over all accounts. */
  db: Database;
  throttle: LoginThrottle;
  publicUrl: string;
  /** Undefined without SYSTEM_SENDER. */
  sendMail: SendSystemMail | undefined;
}

interface InviteRequest {
  email: string;
  role: Role;
  accountName: string;
  invitedBy: string | undefined;
}

/**
 * `link` is for the owner to pass on; undefined where Postern mails it. Then the link proves that the person who accepts reads the mail of
 * the address, so the owner must never get it, also when the mail is not accepted.
 */
export interface Invited {
  invitation: Invitation;
  link: string | undefined;
}

/** The answer is the same whether the address belongs to a user of another account or to nobody. A second call replaces the first link. */
export async function inviteMember(db: AccountDatabase, deps: InviteDeps, request: InviteRequest): Promise<Invited> {
  const { email, role, accountName, invitedBy } = request;
  const target = email.toLowerCase();
  const mayMail = await countMail(deps.db, deps.throttle, [
    { bucket: ["invitation-account", db.accountId], perHour: perAccountAndHour },
    { bucket: ["invitation-target", db.accountId, target], perHour: perTargetAndHour },
    { bucket: ["invitation-mails", target], perHour: mailsPerTargetAndHour, isSilent: true },
  ]);
  const token = makeMailedToken();
  const outcome = await insertInvitation(db, { id: randomUUIDv7(), email, role, tokenHash: token.hash, invitedBy });
  switch (outcome.kind) {
    case "invited": {
      const link = linkWithToken(deps.publicUrl, "invitation", token.text);
      if (deps.sendMail === undefined) return { invitation: outcome.invitation, link };
      if (mayMail) await deps.sendMail({ to: email, ...invitationMail(accountName, role, link) });
      return { invitation: outcome.invitation, link: undefined };
    }
    case "not-owner":
      throw new AppError("FORBIDDEN", "This needs the role owner, and you no longer have it in this account.");
    case "is-member":
      throw new AppError(
        "CONFLICT",
        `${email} is already a member of this account. PATCH /api/v1/members/{id} changes the role.`,
      );
    case "too-many":
      throw new AppError(
        "CONFLICT",
        "The account has too many open invitations. Delete some at DELETE /api/v1/invitations/{id}.",
      );
  }
}

function invitationMail(accountName: string, role: Role, link: string): { subject: string; text: string } {
  // The name comes from a customer: a subject is one line.
  const name = accountName.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, " ").slice(0, 100);
  return {
    subject: `Invitation to ${name}`,
    text:
      `You are invited to the account ${name} as ${role}. To accept, open this link within ${invitationDays} days:\n\n${link}\n\n` +
      "If you do not know this account, ignore this mail.\n",
  };
}
