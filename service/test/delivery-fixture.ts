import { Writable } from "node:stream";
import type { Database } from "../src/db/database.ts";
import type { SettlementDeps } from "../src/delivery/settle-attempt.ts";
import type { DeliveryDeps } from "../src/delivery/submit-send.ts";
import { createLog } from "../src/log.ts";
import { createMetrics } from "../src/metrics.ts";
import type { EmailProvider, OutgoingMail, SubmitResult } from "../src/provider/email-provider.ts";
import { LastAcceptance } from "../src/queue/last-acceptance.ts";
import { openSettlements } from "../src/queue/settle-sends.ts";
import { testContentKeys } from "./send-builders.ts";
import type { LogLine } from "./spawn-postern.ts";

export const answers = {
  accepted: { kind: "accepted", providerMessageId: "m-1", requestId: "r-1" },
  refused: { kind: "refused", code: "PROVIDER_REJECTED", message: "Not that.", unverified: [], requestId: "r-1" },
  later: { kind: "try-later", hold: undefined, isThrottled: false, message: "No connection.", requestId: undefined },
  throttled: { kind: "try-later", hold: undefined, isThrottled: true, message: "Too fast.", requestId: "r-1" },
  held: { kind: "try-later", hold: "quota", isThrottled: false, message: "Enough for today.", requestId: "r-1" },
  denied: {
    kind: "denied",
    code: "AccessDeniedException",
    message: "AccessDeniedException: not authorized",
    requestId: "r-1",
  },
  unknown: { kind: "unknown", message: "A reset to ann@example.test.", requestId: undefined },
} as const satisfies Record<string, SubmitResult>;

/** A provider that implements only `submit`, with a scripted result, and records each mail. */
export function aProviderThat(answer: SubmitResult | ((mail: OutgoingMail) => SubmitResult | Promise<SubmitResult>)) {
  const mails: OutgoingMail[] = [];
  const submit = async (mail: OutgoingMail) => {
    mails.push(mail);
    return typeof answer === "function" ? answer(mail) : answer;
  };
  // Delivery calls no other method of the provider.
  return { mails, provider: { submit } as EmailProvider };
}

/** The dependencies of a delivering worker, with its log lines and a function that reads its counters. */
export function aDeliveryFixture(db: Database, provider: EmailProvider, changes: Partial<DeliveryDeps> = {}) {
  const lines: LogLine[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const deps: DeliveryDeps & SettlementDeps = {
    db,
    provider,
    settlements: openSettlements(db),
    lastAcceptance: new LastAcceptance(db, "live"),
    contentKeys: testContentKeys,
    giveUpAfterSeconds: 86_400,
    log: createLog("debug", stream),
    metrics: createMetrics(),
    clock: () => performance.now(),
    ...changes,
  };
  const counted = async (name: string, labels: Record<string, string> = {}) => {
    const metric = await deps.metrics.registry.getSingleMetric(name)?.get();
    const values = metric?.values.filter((value) =>
      Object.entries(labels).every(([label, wanted]) => String(value.labels[label]) === wanted),
    );
    return values?.reduce((sum, { value }) => sum + value, 0) ?? 0;
  };
  return { deps, lines, counted };
}
