/** One safety rule taken out of the source, and the tests that must notice. */
export interface Mutant {
  name: string;
  /** What the code does wrong now. */
  wrong: string;
  file: string;
  /** Stands in the file exactly once. */
  from: string;
  to: string;
  tests: string[];
}

const sends = "service/src/sends";
const ses = "service/src/provider/ses";
const claim = `${sends}/claim-sends.ts`;
const claimTests = [`${sends}/claim-sends.test.ts`];
const accept = `${sends}/accept-statement.ts`;
const repeatTests = ["service/src/api/v1/sends/send-repeats.test.ts"];
const pushTests = [`${ses}/feedback-push.test.ts`];

export const mutants: Mutant[] = [
  {
    name: "settle-fence",
    wrong: "a worker whose lease is over still moves the send that another has by now",
    file: `${sends}/settlement.ts`,
    from: "and made.id and q.attempt between made.attempt and made.attempt",
    to: "and made.id",
    tests: [`${sends}/settle-sends.test.ts`],
  },
  {
    name: "confirm-fence",
    wrong: "evidence that comes late takes back a refusal by the provider",
    file: `${sends}/confirm-hand-over.ts`,
    from: "          and known.known_as is null\n",
    to: "",
    tests: [`${sends}/confirm-hand-over.test.ts`],
  },
  {
    name: "confirm-leaves-queued",
    wrong: "a send that is known to be out stays in the queue and goes again",
    file: `${sends}/confirm-hand-over.ts`,
    from: "        where q.id between held.id and held.id\n",
    to: "        where q.id between held.id and held.id and q.state = 'leased'\n",
    tests: [`${sends}/confirm-hand-over.test.ts`],
  },
  {
    name: "unique-key",
    wrong: "a second request with the same idempotency key is stored as a new send",
    file: accept,
    from: "is_fit and (key_hash is null or send_id in (select send_id from claimed where is_inserted)) as is_new",
    to: "is_fit as is_new",
    tests: repeatTests,
  },
  {
    name: "key-conflict",
    wrong: "the last request with an idempotency key owns it, and not the first",
    file: accept,
    from: "  set send_id = i.send_id\n",
    to: "  set send_id = excluded.send_id\n",
    tests: repeatTests,
  },
  {
    name: "sdk-retries",
    wrong: "the AWS SDK repeats a hand-over by itself",
    file: `${ses}/client-settings.ts`,
    from: "maxAttempts: 1,",
    to: "maxAttempts: 3,",
    tests: [`${ses}/hand-over.test.ts`],
  },
  {
    name: "unknown-is-later",
    wrong: "a hand-over without an answer counts as one that was not made",
    file: `${ses}/classify-hand-over.ts`,
    from: "if (isNamedRefusal(fault)) return classifyRefusal(fault);",
    to: "if (isNamedRefusal(fault)) return classifyRefusal(fault);\n  if (fault.name !== '') return tryLater(fault, undefined);",
    tests: [`${ses}/hand-over.test.ts`],
  },
  {
    name: "signature",
    wrong: "a notification is believed whatever its signature",
    file: `${ses}/sns-signature.ts`,
    from: "return isSignedBy(found.publicKey, given)\n",
    to: 'return isSignedBy(found.publicKey, given) || given.Signature !== ""\n',
    tests: pushTests,
  },
  {
    name: "topics-pushed",
    wrong: "a signed notification of anybody's topic is believed",
    file: `${ses}/sns-signature.ts`,
    from: "if (!rules.topicArns.includes(given.TopicArn)) return",
    to: "if (rules.topicArns.length === 0) return",
    tests: pushTests,
  },
  {
    name: "topics-queued",
    wrong: "the queue's notifications are believed whatever their topic",
    file: `${ses}/read-envelope.ts`,
    from: 'typeof TopicArn !== "string" || !topicArns.includes(TopicArn)',
    to: 'typeof TopicArn !== "string" || topicArns.length === 0',
    tests: [`${ses}/read-event.test.ts`, `${ses}/sqs-queue.test.ts`],
  },
  {
    name: "suppression-recheck",
    wrong: "who was suppressed after the request is mailed all the same",
    file: claim,
    from: " filter (where listed.email is null), '{}')",
    to: ", '{}')",
    tests: claimTests,
  },
  {
    name: "domain-recheck",
    wrong: "mail leaves from a domain that was removed or lost its proof",
    file: claim,
    from: "else coalesce(domain.state, 'gone') end as domain",
    to: "else 'verified' end as domain",
    tests: claimTests,
  },
  {
    name: "server-run",
    wrong: "a promoted standby hands out sends that the lost server had handed over",
    file: claim,
    from: "\n              and (server_run is null or server_run = server_run())",
    to: "",
    tests: ["service/src/in-doubt/failover-watch.test.ts"],
  },
  {
    name: "rank-rule",
    wrong: "the last report decides, and not the gravest",
    file: `${sends}/record-feedback.ts`,
    from: "then coalesce(sends.outcomes[1], 0) < reported.highest",
    to: "then coalesce(sends.outcomes[1], 0) <> reported.highest",
    tests: ["service/src/feedback/apply-feedback.test.ts"],
  },
  {
    name: "rank-rule-of-many",
    wrong: "with several recipients a later report replaces a higher one",
    file: `${sends}/record-feedback.ts`,
    from: "greatest(0, sends.outcomes[each.place], max(told.rank))::smallint",
    to: "coalesce(max(told.rank), sends.outcomes[each.place], 0)::smallint",
    tests: ["service/src/feedback/apply-feedback.test.ts"],
  },
  {
    name: "limiter-second",
    wrong: "one request too many is let through in a second",
    file: accept,
    from: "(l[1] - (total - case",
    to: "(l[1] + 1 - (total - case",
    tests: [`${sends}/rate-limit.test.ts`],
  },
  {
    name: "limiter-minute",
    wrong: "one request too many is let through in a minute",
    file: accept,
    from: "(l[3] - (total - base_60))",
    to: "(l[3] + 1 - (total - base_60))",
    tests: [`${sends}/rate-limit.test.ts`],
  },
  {
    name: "lease-before-call",
    wrong: "a worker that woke up late hands over what another may have",
    file: "service/src/delivery/submit-send.ts",
    from: "if (deps.clock() - claimedAt >= startWithinMs)",
    to: "if (deps.clock() - claimedAt >= 100 * startWithinMs)",
    tests: ["service/src/delivery/submit-send.test.ts"],
  },
  {
    name: "lease-ran-out",
    wrong: "a send whose worker died goes out again at once, and nobody waits for evidence",
    file: `${sends}/in-doubt.ts`,
    from: "        set state = 'in-doubt'\n",
    to: "        set state = 'ready'\n",
    tests: [`${sends}/in-doubt.test.ts`],
  },
  {
    name: "hands-of-the-dead",
    wrong: "silence is believed while the event that would end it may be in the hands of a worker that died",
    file: `${sends}/in-doubt.ts`,
    from: " and r.visible_again_at > heard.until\n",
    to: " and false\n",
    tests: [`${sends}/in-doubt.test.ts`],
  },
  {
    name: "nobody-was-there",
    wrong: "after a long pause of all workers a send in doubt goes out again before its events are read",
    file: "service/src/delivery/queue-tick.ts",
    from: '  if (mode === "live") await noteWorkersUp(db, mode);\n',
    to: "",
    tests: ["service/src/delivery/queue-tick.test.ts"],
  },
  {
    name: "delete-before-commit",
    wrong: "a report leaves the queue before it is written down",
    file: "service/src/feedback/feedback-loop.ts",
    from: "    const fates = await",
    to: "    await queue.delete(messages.map((message) => message.receiptHandle));\n    const fates = await",
    tests: ["service/src/feedback/feedback-loop.test.ts"],
  },
  {
    name: "sent-without-attempt",
    wrong: "a send is sent by a second attempt that is not on record",
    file: `${sends}/settlement.ts`,
    from: "where attempt > 1 or outcome <> 'accepted'",
    to: "where outcome <> 'accepted'",
    tests: [`${sends}/settle-sends.test.ts`],
  },
  {
    name: "account-guard",
    wrong: "a statement of an account runs with the rights of the whole cell",
    file: "service/src/db/database.ts",
    from: "set_config('role', 'pg_database_owner', true)",
    to: "set_config('role', 'none', true)",
    tests: ["service/src/db/account-guard.test.ts"],
  },
  {
    name: "content-binding",
    wrong: "the content of one send opens in the place of another",
    file: `${sends}/content.ts`,
    from: `place: \`\${accountId}/\${sendId}\``,
    to: "place: accountId",
    tests: [`${sends}/content.test.ts`],
  },
  {
    name: "revoked-key",
    wrong: "a revoked key still sends",
    file: accept,
    from: "          and k.revoked_at is null\n",
    to: "",
    tests: ["service/src/api/v1/sends/send-routes.test.ts"],
  },
  {
    name: "quoting-errors",
    wrong: "an error of PostgreSQL is logged with the values it quotes",
    file: "service/src/log.ts",
    from: 'mayQuote ? "a data exception" : error.message',
    to: 'mayQuote ? "a data exception: " + error.message : error.message',
    tests: ["service/src/log.test.ts"],
  },
];
