/** The work that leads a process to a crash point. */
export type Trigger =
  | "send"
  | "test-send"
  | "accept"
  | "register"
  | "remove"
  | "check"
  | "quarantine"
  | "suppression"
  | "notification"
  | "webhook"
  | "abandoned-webhook"
  | "replay"
  | "partition"
  | "stray-content"
  | "abandoned-draft"
  | "start";

export interface CrashPoint {
  name: string;
  where: string;
  trigger: Trigger;
  /** The chore that must run immediately. */
  chore?: string;
}

/** Every point at which a process is killed. All except the two on the wire are comments in the source. */
export const points: CrashPoint[] = [
  { name: "attachments-pending", where: "before the attachments are stored", trigger: "accept" },
  { name: "chunks-stored", where: "between attachments and accept", trigger: "accept" },
  { name: "before-accept", where: "inside accept, before the commit", trigger: "accept" },
  { name: "after-accept", where: "inside accept, after the commit", trigger: "accept" },
  { name: "before-claim", where: "before the claim", trigger: "send" },
  { name: "after-claim", where: "after the claim", trigger: "send" },
  { name: "before-call", where: "before the call to SES", trigger: "send" },
  { name: "request-written", where: "request to SES written", trigger: "send" },
  { name: "answer-received", where: "answer of SES received", trigger: "send" },
  { name: "before-sent", where: "before the commit of `sent`", trigger: "send" },
  { name: "after-sent", where: "after the commit of `sent`", trigger: "send" },
  { name: "evidence-written", where: "between evidence and event", trigger: "send" },
  { name: "feedback-committed", where: "between event and SQS delete", trigger: "send" },
  { name: "leases-expired", where: "tick: after marking expired leases in doubt", trigger: "start" },
  { name: "in-doubt-resolved", where: "tick: after resolving sends in doubt", trigger: "start" },
  { name: "sends-promoted", where: "tick: after promoting sends", trigger: "start" },
  { name: "sandbox-reported", where: "sandbox: reported, not deleted yet", trigger: "test-send" },
  { name: "domain-drafted", where: "registration: drafted", trigger: "register" },
  { name: "identity-made", where: "registration: identity made", trigger: "register" },
  { name: "domain-completed", where: "registration: completed", trigger: "register" },
  { name: "check-claimed", where: "verification: claimed", trigger: "check", chore: "check-domains" },
  { name: "check-evaluated", where: "verification: evaluated", trigger: "check", chore: "check-domains" },
  { name: "domain-deleted", where: "removal: domain deleted", trigger: "remove" },
  { name: "identity-removed", where: "removal: identity removed", trigger: "remove" },
  { name: "drafts-dropped", where: "chore finish-removals", trigger: "abandoned-draft", chore: "finish-removals" },
  { name: "identities-listed", where: "chore refresh-dkim", trigger: "start", chore: "refresh-dkim" },
  { name: "quarantine-applied", where: "chore retry-quarantined", trigger: "quarantine", chore: "retry-quarantined" },
  { name: "feedback-gap-read", where: "chore watch-feedback", trigger: "start", chore: "watch-feedback" },
  { name: "quota-read", where: "chore read-quota", trigger: "start", chore: "read-quota" },
  {
    name: "suppression-removed",
    where: "chore remove-suppressed",
    trigger: "suppression",
    chore: "remove-suppressed",
  },
  { name: "partition-made", where: "chore make-partitions", trigger: "partition", chore: "make-partitions" },
  {
    name: "contents-kept",
    where: "chore drop-old-contents, copied",
    trigger: "stray-content",
    chore: "drop-old-contents",
  },
  { name: "contents-deleted", where: "chore drop-old-contents", trigger: "stray-content", chore: "drop-old-contents" },
  { name: "before-fold", where: "chore fold-list-changes", trigger: "start", chore: "fold-list-changes" },
  { name: "before-usage-fold", where: "chore fold-usage", trigger: "start", chore: "fold-usage" },
  { name: "before-fan-out", where: "webhooks: envelopes written, before the commit", trigger: "notification" },
  { name: "webhook-claimed", where: "webhooks: claimed", trigger: "webhook" },
  { name: "webhook-answered", where: "webhooks: before the result is stored", trigger: "webhook" },
  { name: "webhook-settled", where: "webhooks: after the result is stored", trigger: "webhook" },
  { name: "webhook-leases-expired", where: "webhooks: expired leases found", trigger: "abandoned-webhook" },
  { name: "before-replay-step", where: "webhooks: deliveries of a replay added, before the commit", trigger: "replay" },
  { name: "chore-run", where: "between a chore and its next run", trigger: "start", chore: "fold-list-changes" },
];

/** Points on the wire, which are not comments in the source. */
export const wirePoints = ["request-written", "answer-received"];
