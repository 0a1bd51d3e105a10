import { type ActionWords, count, type EntryFacts, text } from "./action-words-shape.ts";

/** Members, invitations, log-ins, passwords and second factors. */
export const personWords = {
  "member.role-change": {
    title: "Role changed",
    did: ({ target, before, after }) =>
      `changed the role of ${target} from ${text(before.role)} to ${text(after.role)}`,
    meaning: "The new role decides from the next request of the member on.",
  },
  "member.remove": {
    title: "Member removed",
    did: ({ target }) => `removed ${target} from the account`,
    meaning: "Log-ins of the member to this account ended at once. API keys that the member made keep working.",
  },
  "member.add": {
    title: "Member added",
    did: ({ target, after }) => `added ${target} as ${text(after.role)}`,
    meaning: "The rules for company log-ins (OIDC) give this person access to the account.",
  },
  "member.close": {
    title: "Membership closed",
    did: ({ target }) => `closed the membership of ${target}`,
    meaning:
      "The rules for company log-ins (OIDC) no longer give this owner access. The membership stays, closed, so that the account keeps an owner.",
  },
  "member.open": {
    title: "Membership opened again",
    did: ({ target }) => `opened the membership of ${target} again`,
    meaning: "The rules for company log-ins (OIDC) give this owner access again.",
  },
  "invitation.create": {
    title: "Invitation made",
    did: ({ target, after }) => `invited ${target} as ${text(after.role)}`,
    meaning: "The link works once, for 7 days. A new invitation of the same address replaces the one before.",
  },
  "invitation.accept": {
    title: "Invitation accepted",
    did: ({ target, after }) => `accepted the invitation of ${target} as ${text(after.role)}`,
    meaning: "The person is a member since then.",
  },
  "invitation.revoke": {
    title: "Invitation withdrawn",
    did: ({ target }) => `withdrew the invitation of ${target}`,
    meaning: "Its link no longer works.",
  },
  "log-in": {
    title: "Log-in",
    did: ({ after }) => `logged in${secondFactor(after)}`,
    meaning: "A session began. The person sees all open sessions on the profile page.",
  },
  "log-in.fail": {
    title: "Failed log-in",
    did: failedLogIn,
    meaning: "One entry stands for all failures of this kind in one minute. Postern slows down repeated attempts.",
  },
  "log-out": {
    title: "Log-out",
    did: () => "logged out",
    meaning: "The session ended.",
  },
  "account.switch": {
    title: "Account switched",
    did: () => "switched to this account",
    meaning: "A person who was logged in to another account opened a session in this one.",
  },
  "session.end": {
    title: "Session ended",
    did: ({ target, before }) =>
      `ended a session of ${target}${text(before.device) === "" ? "" : ` on ${text(before.device)}`}`,
    meaning: "The device has to log in again.",
  },
  "session.end-others": {
    title: "Other sessions ended",
    did: ({ before }) => `ended ${count(before.sessions, "other session")}`,
    meaning: "The person stayed logged in on one device, and all others have to log in again.",
  },
  "session.end-stolen": {
    title: "Stolen session ended",
    did: ({ target }) => `used an old refresh token of ${target}, and Postern ended the session`,
    meaning:
      "Each refresh token works once. A second use means that somebody may have copied it, so the session ended for both.",
  },
  "session.replace": {
    title: "Session replaced",
    did: ({ target }) => `logged in with the browser of ${target}, which ended the session there`,
    meaning: "A browser holds one session. A new log-in in the same browser ends the one before.",
  },
  "password.change": {
    title: "Password changed",
    did: ({ target }) => `changed the password of ${target}`,
    meaning: "All other sessions of the person ended.",
  },
  "password.reset-request": {
    title: "Password reset requested",
    did: ({ target }) => `asked for a link to reset the password of ${target}`,
    meaning: "Postern mailed the link to the person. Anyone who knows the address can ask for it.",
  },
  "password.reset": {
    title: "Password reset",
    did: ({ target }) => `set a new password for ${target}`,
    meaning: "It came by a mailed link or from the command line. All sessions of the person ended.",
  },
  "totp.enrol": {
    title: "Two-factor set-up begun",
    did: ({ target }) => `began to set up two-factor authentication for ${target}`,
    meaning: "It is on once the person confirms it with a code.",
  },
  "totp.confirm": {
    title: "Two-factor turned on",
    did: ({ target }) => `turned on two-factor authentication for ${target}`,
    meaning: "Each log-in of the person needs a code of the authenticator app since then.",
  },
  "totp.disable": {
    title: "Two-factor turned off",
    did: ({ target }) => `turned off two-factor authentication for ${target}`,
    meaning: "The password alone is enough for a log-in since then.",
  },
  "totp.recovery-codes-renew": {
    title: "Recovery codes renewed",
    did: ({ target }) => `made new recovery codes for ${target}`,
    meaning: "The codes from before no longer work.",
  },
} as const satisfies Record<string, ActionWords>;

function secondFactor(after: Record<string, unknown>): string {
  if (after.by === "oidc") return " with the company account";
  if (after.second_factor === "recovery-code") return " with password and a recovery code";
  return after.second_factor === "totp" ? " with password and code" : " with a password";
}

function failedLogIn({ target, after }: EntryFacts): string {
  if (after.refused === "suspended") return "was refused at the log-in: the account is suspended";
  if (after.refused !== undefined) return "was refused at the log-in: the company account gives no access here";
  if (after.missing === "code") return `gave the password of ${target} and no code`;
  return `tried to log in as ${target} with a wrong ${after.wrong === "code" ? "code" : "password"}`;
}
