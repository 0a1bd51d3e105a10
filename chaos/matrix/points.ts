/** What a process is given so that it comes by the point. */
export type Occasion =
  | "send"
  | "test-send"
  | "accept"
  | "register"
  | "remove"
  | "check"
  | "quarantine"
  | "suppression"
  | "partition"
  | "stray-content"
  | "abandoned-draft"
  | "start";

export interface CrashPoint {
  name: string;
  where: string;
  occasion: Occasion;
  /** The chore that is to be run at once. */
  chore?: string;
}

/** Every place where a process is made to die. All but the two of the wire are comments in the source. */
export const points: CrashPoint[] = [
  { name: "before-accept", where: "inside accept, before the commit", occasion: "accept" },
  { name: "after-accept", where: "inside accept, after the commit", occasion: "accept" },
  { name: "before-claim", where: "before the claim", occasion: "send" },
  { name: "after-claim", where: "after the claim", occasion: "send" },
  { name: "before-call", where: "before the call to SES", occasion: "send" },
  { name: "request-written", where: "request to SES written", occasion: "send" },
  { name: "answer-received", where: "answer of SES received", occasion: "send" },
  { name: "before-sent", where: "before the commit of `sent`", occasion: "send" },
  { name: "after-sent", where: "after the commit of `sent`", occasion: "send" },
  { name: "evidence-written", where: "between evidence and event", occasion: "send" },
  { name: "feedback-committed", where: "between event and SQS delete", occasion: "send" },
  { name: "leases-markedInDoubt", where: "tick: after expired leases", occasion: "start" },
  { name: "doubt-resolved", where: "tick: after resolving doubt", occasion: "start" },
  { name: "sends-promoted", where: "tick: after promoting", occasion: "start" },
  { name: "sandbox-told", where: "sandbox: told, not forgotten", occasion: "test-send" },
  { name: "domain-drafted", where: "registration: drafted", occasion: "register" },
  { name: "identity-made", where: "registration: identity made", occasion: "register" },
  { name: "domain-completed", where: "registration: completed", occasion: "register" },
  { name: "check-claimed", where: "verification: claimed", occasion: "check", chore: "check-domains" },
  { name: "check-judged", where: "verification: judged", occasion: "check", chore: "check-domains" },
  { name: "domain-deleted", where: "removal: domain deleted", occasion: "remove" },
  { name: "identity-removed", where: "removal: identity removed", occasion: "remove" },
  { name: "drafts-dropped", where: "chore finish-removals", occasion: "abandoned-draft", chore: "finish-removals" },
  { name: "identities-listed", where: "chore refresh-dkim", occasion: "start", chore: "refresh-dkim" },
  { name: "quarantine-applied", where: "chore retry-quarantined", occasion: "quarantine", chore: "retry-quarantined" },
  { name: "silence-read", where: "chore watch-feedback", occasion: "start", chore: "watch-feedback" },
  { name: "quota-read", where: "chore read-quota", occasion: "start", chore: "read-quota" },
  {
    name: "suppression-removed",
    where: "chore remove-suppressed",
    occasion: "suppression",
    chore: "remove-suppressed",
  },
  { name: "partition-made", where: "chore make-partitions", occasion: "partition", chore: "make-partitions" },
  { name: "contents-deleted", where: "chore drop-old-contents", occasion: "stray-content", chore: "drop-old-contents" },
  { name: "before-fold", where: "chore fold-list-changes", occasion: "start", chore: "fold-list-changes" },
  { name: "chore-run", where: "between a chore and its next turn", occasion: "start", chore: "fold-list-changes" },
];

/** Seen on the wire, so not to be found in the source. */
export const wirePoints = ["request-written", "answer-received"];
