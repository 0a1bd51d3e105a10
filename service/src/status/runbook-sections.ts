/** Headings of docs/runbook.md, as they are in links to it. A test compares them with the file. */
export const runbookSections = [
  "mail-is-not-going-out",
  "ses-paused-or-the-quota-used-up",
  "ses-reviews-the-aws-account",
  "ses-denies-one-domain",
  "a-flood-by-one-customer",
  "the-guard-holds-an-account",
  "old-mail-of-an-account-on-hold",
  "stuck-in-processing",
  "feedback-is-missing",
  "events-are-in-the-dead-letter-queue",
  "webhooks-are-not-delivered",
  "the-api-answers-503",
  "a-process-does-not-fit-the-schema",
  "the-database-is-full",
  "partitions-end-soon",
  "vacuum-is-blocked",
  "after-a-restore-or-failover",
  "an-account-moves",
] as const;

export type RunbookSection = (typeof runbookSections)[number];
