/** One safety rule that is removed from the source, and the tests that must fail without it. */
export interface Mutant {
  name: string;
  /** What the code does wrong without the rule. */
  wrong: string;
  file: string;
  /** The file holds this text exactly once. */
  from: string;
  to: string;
  tests: string[];
}

const ses = "service/src/provider/ses";
const accept = "service/src/accept/accept-statement.ts";
const rateLimit = "service/src/accept/rate-limit.ts";
const rateLimitTests = ["service/src/accept/rate-limit.test.ts"];
const idempotencyTests = ["service/src/api/v1/sends/send-idempotency.test.ts"];
const claim = "service/src/queue/claim-sends.ts";
const claimTests = ["service/src/queue/claim-sends.test.ts"];
const settle = "service/src/queue/settle-statement.ts";
const settleTests = ["service/src/queue/settle-sends.test.ts"];
const confirm = "service/src/queue/confirm-submission.ts";
const confirmTests = ["service/src/queue/confirm-submission.test.ts"];
const reports = "service/src/feedback/record-reports.ts";
const reportTests = [
  "service/src/feedback/apply-feedback.test.ts",
  "service/src/feedback/apply-feedback-order.test.ts",
];
const submitTests = [`${ses}/submit/submit.test.ts`];
const pushTests = [`${ses}/feedback/feedback-push.test.ts`];

export const mutants: Mutant[] = [
  {
    name: "settle-fence",
    wrong: "a worker whose lease has expired still settles a send that another worker has claimed",
    file: settle,
    from: ` and \${equalByIndex("q.attempt", "attempts.attempt")}`,
    to: "",
    tests: settleTests,
  },
  {
    name: "confirm-fence",
    wrong: "late evidence overrides a rejection by the provider",
    file: confirm,
    from: "          and known.known_as is null\n",
    to: "",
    tests: confirmTests,
  },
  {
    name: "confirm-leaves-queued",
    wrong: "a send that SES is known to have accepted stays in the queue and is submitted again",
    file: confirm,
    from: `        where \${equalByIndex("q.id", "locked_rows.id")}\n`,
    to: `        where \${equalByIndex("q.id", "locked_rows.id")} and q.state = 'leased'\n`,
    tests: confirmTests,
  },
  {
    name: "unique-key",
    wrong: "a second request with the same idempotency key is stored as a new send",
    file: accept,
    from: "is_fit and (idempotency_hash is null or send_id in (select send_id from reserved_keys where is_inserted)) as is_new",
    to: "is_fit as is_new",
    tests: idempotencyTests,
  },
  {
    name: "key-conflict",
    wrong: "the last request with an idempotency key owns it instead of the first",
    file: accept,
    from: "  set send_id = i.send_id\n",
    to: "  set send_id = excluded.send_id\n",
    tests: idempotencyTests,
  },
  {
    name: "sdk-retries",
    wrong: "the AWS SDK retries a submission by itself",
    file: `${ses}/client-settings.ts`,
    from: "maxAttempts: 1,",
    to: "maxAttempts: 3,",
    tests: submitTests,
  },
  {
    name: "unknown-as-retry",
    wrong: "a submission without an answer counts as one that SES did not accept",
    file: `${ses}/submit/classify-answer.ts`,
    from: "if (isNamedRefusal(fault)) return classifyRefusal(fault, hasTenant);",
    to: "if (isNamedRefusal(fault)) return classifyRefusal(fault, hasTenant);\n  if (fault.name !== '') return tryLater(fault, undefined);",
    tests: submitTests,
  },
  {
    name: "signature",
    wrong: "a notification is applied without a valid signature",
    file: `${ses}/feedback/sns-signature.ts`,
    from: "return isSignedBy(found.publicKey, given)\n",
    to: 'return isSignedBy(found.publicKey, given) || given.Signature !== ""\n',
    tests: pushTests,
  },
  {
    name: "topics-pushed",
    wrong: "a signed notification of a foreign topic is applied",
    file: `${ses}/feedback/sns-signature.ts`,
    from: "if (!rules.topicArns.includes(given.TopicArn)) return",
    to: "if (rules.topicArns.length === 0) return",
    tests: pushTests,
  },
  {
    name: "topics-queued",
    wrong: "a queued notification of a foreign topic is applied",
    file: `${ses}/feedback/read-envelope.ts`,
    from: 'typeof TopicArn !== "string" || !topicArns.includes(TopicArn)',
    to: 'typeof TopicArn !== "string" || topicArns.length === 0',
    tests: [`${ses}/feedback/read-event.test.ts`, `${ses}/feedback/sqs-queue.test.ts`],
  },
  {
    name: "suppression-recheck",
    wrong: "a recipient who was suppressed after the request still gets the mail",
    file: claim,
    from: " filter (where listed.email is null), '{}')",
    to: ", '{}')",
    tests: claimTests,
  },
  {
    name: "domain-recheck",
    wrong: "mail is sent from a domain that was removed or is no longer verified",
    file: claim,
    from: "else coalesce(domain.state, 'gone') end as domain",
    to: "else 'verified' end as domain",
    tests: claimTests,
  },
  {
    name: "server-run",
    wrong: "after a failover the workers claim sends that the lost server had already submitted",
    file: claim,
    from: "\n              and (server_run is null or server_run = server_run())",
    to: "",
    tests: ["service/src/in-doubt/failover-watch.test.ts"],
  },
  {
    name: "rank-rule",
    wrong: "the last event decides the status instead of the most severe one",
    file: reports,
    from: "then coalesce(sends.outcomes[1], 0) < per_send.highest",
    to: "then coalesce(sends.outcomes[1], 0) <> per_send.highest",
    tests: reportTests,
  },
  {
    name: "rank-rule-recipients",
    wrong: "with several recipients a later event replaces a more severe one",
    file: reports,
    from: "greatest(0, sends.outcomes[each.position], max(report.rank))::smallint",
    to: "coalesce(max(report.rank), sends.outcomes[each.position], 0)::smallint",
    tests: reportTests,
  },
  {
    name: "limiter-second",
    wrong: "the limiter permits one request too many per second",
    file: rateLimit,
    from: "(limits[1] - (admitted_so_far - ",
    to: "(limits[1] + 1 - (admitted_so_far - ",
    tests: rateLimitTests,
  },
  {
    name: "limiter-minute",
    wrong: "the limiter permits one request too many per minute",
    file: rateLimit,
    from: "(limits[3] - (admitted_so_far - admitted_before_minute))",
    to: "(limits[3] + 1 - (admitted_so_far - admitted_before_minute))",
    tests: rateLimitTests,
  },
  {
    name: "lease-before-call",
    wrong: "a worker that resumes late submits a send that another worker may have claimed",
    file: "service/src/delivery/submit-send.ts",
    from: "deps.clock() - claimedAt < startWithinMs && !isExpired();",
    to: "deps.clock() - claimedAt < 100 * startWithinMs && !isExpired();",
    tests: ["service/src/delivery/submit-send.test.ts"],
  },
  {
    name: "guard-start",
    wrong: "a request whose credentials loaded slowly is written after the lease of its send",
    file: `${ses}/submit/submit.ts`,
    from: "if (!mayStart()) throw new NotStarted();",
    to: "",
    tests: [`${ses}/submit/slow-credentials.test.ts`],
  },
  {
    name: "lease-expired",
    wrong: "a send whose worker crashed is submitted again immediately instead of waiting for evidence",
    file: "service/src/in-doubt/expired-leases.ts",
    from: "        set state = 'in-doubt'\n",
    to: "        set state = 'ready'\n",
    tests: ["service/src/in-doubt/expired-leases.test.ts"],
  },
  {
    name: "crashed-consumer",
    wrong: "the absence of events counts while a crashed consumer may still hold the event in flight",
    file: "service/src/in-doubt/resolve-in-doubt.ts",
    from: " and consumer.visible_again_at > read_far_enough.ended_before\n",
    to: " and false\n",
    tests: ["service/src/in-doubt/resolve-in-doubt.test.ts"],
  },
  {
    name: "workers-paused",
    wrong: "after a long pause of all workers a send in doubt is submitted again before its events are read",
    file: "service/src/delivery/queue-tick.ts",
    from: '  if (mode === "live") await noteWorkersUp(db, mode);\n',
    to: "",
    tests: ["service/src/delivery/queue-tick.test.ts"],
  },
  {
    name: "delete-before-commit",
    wrong: "an event is deleted from the queue before it is stored",
    file: "service/src/feedback/feedback-loop.ts",
    from: "    const outcomes = await Promise.all(",
    to: "    await queue.delete(messages.map((message) => message.receiptHandle));\n    const outcomes = await Promise.all(",
    tests: ["service/src/feedback/feedback-loop.test.ts"],
  },
  {
    name: "sent-without-attempt",
    wrong: "a second attempt that sent the mail is not recorded",
    file: settle,
    from: "where attempt > 1 or outcome <> 'accepted'",
    to: "where outcome <> 'accepted'",
    tests: settleTests,
  },
  {
    name: "row-level-security",
    wrong: "a statement for one account runs with the rights of the whole cell",
    file: "service/src/db/database.ts",
    from: "set_config('role', 'pg_database_owner', true)",
    to: "set_config('role', 'none', true)",
    tests: ["service/src/db/row-level-security.test.ts"],
  },
  {
    name: "content-binding",
    wrong: "the content of one send can be opened as that of another",
    file: "service/src/sends/content.ts",
    from: `owner: \`\${accountId}/\${sendId}\``,
    to: "owner: accountId",
    tests: ["service/src/sends/content.test.ts"],
  },
  {
    name: "revoked-key",
    wrong: "a revoked key still sends",
    file: accept,
    from: `          and \${isUsable("k")}\n`,
    to: "          and (k.expires_at is null or k.expires_at > now())\n",
    tests: ["service/src/api/v1/sends/send-authentication.test.ts"],
  },
  {
    name: "domain-of-key",
    wrong: "a key for one domain sends from another",
    file: accept,
    from: "          and (k.domain is null or not r.has_payload or k.domain = r.from_domain)\n",
    to: "",
    tests: ["service/src/accept/key-rights.test.ts"],
  },
  {
    name: "ended-secret",
    wrong: "a secret of a key still sends after its overlap",
    file: accept,
    from: `              select \${isCurrent("s")}\n`,
    to: "              select true\n",
    tests: ["service/src/accept/key-rights.test.ts"],
  },
  {
    name: "quoting-errors",
    wrong: "a PostgreSQL error is logged with the values that it quotes",
    file: "service/src/log.ts",
    from: 'mayQuote ? "a data exception" : error.message',
    to: 'mayQuote ? "a data exception: " + error.message : error.message',
    tests: ["service/src/log.test.ts"],
  },
];
