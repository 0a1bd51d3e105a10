/** Every kind of thing that an audit entry can be about. */
export const auditTargetKinds = [
  "account",
  // A keyed hash of a mail address that was erased.
  "address",
  "api-key",
  "domain",
  "invitation",
  // A person in the account: role and membership.
  "member",
  // A notification of the provider that could not be applied.
  "quarantine",
  "send",
  // By its address, in all modes.
  "suppression",
  // The person alone: log-ins, sessions, password and TOTP. The id is that of the member.
  "user",
  "webhook",
] as const;

export type AuditTargetKind = (typeof auditTargetKinds)[number];
