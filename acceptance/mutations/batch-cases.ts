import type { Exchange, MutationCase } from "./breaking-proxy.ts";

/** Faults of batches. */
export const batchCases: MutationCase[] = [
  {
    fault: "the verdicts of a batch are in another order",
    broken: ["10.3-01"],
    unaffected: ["10.3-04", "10.3-05"],
    change: onBatch(({ body }) => {
      body.verdicts = body.verdicts?.toReversed();
    }),
  },
  {
    fault: "a refused mail of a batch has no details",
    broken: ["10.3-02"],
    unaffected: ["10.3-01", "10.3-04"],
    change: onBatch(({ body }) => {
      for (const { error } of body.verdicts ?? []) delete error?.details;
    }),
  },
  {
    fault: "the default counts although the mail has the field",
    broken: ["10.3-03"],
    unaffected: ["10.3-01"],
    rewriteBody: (body) => body.replaceAll('"subject":"Own subject"', '"subject":"Acceptance"'),
  },
  {
    fault: "a batch without an accepted mail is 202",
    broken: ["10.3-04"],
    unaffected: ["10.3-02", "10.3-08"],
    change: onBatch((answer) => {
      if (answer.body.error?.code === "BATCH_REFUSED") answer.status = 202;
    }),
  },
  {
    fault: "each mail of a batch counts as a request",
    broken: ["10.3-05"],
    unaffected: ["10.3-01"],
    change: onBatch((answer) => {
      if (answer.body.verdicts?.length > 20) answer.status = 429;
    }),
  },
  {
    fault: "a batch ignores the header Idempotency-Key",
    broken: ["10.3-06"],
    unaffected: ["10.3-07"],
    change: onBatch(({ body }) => {
      for (const { send } of body.verdicts ?? []) {
        if (send?.idempotency_key.includes("/")) Object.assign(send, { idempotency_key: send.id });
      }
    }),
  },
  {
    fault: "equal keys in one batch create two sends",
    broken: ["10.3-07"],
    unaffected: ["10.3-06"],
    change: onBatch(({ body }) => {
      const seen = new Set();
      for (const { send } of body.verdicts ?? []) {
        if (seen.has(send?.id)) Object.assign(send, { id: "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f", idempotent: false });
        seen.add(send?.id);
      }
    }),
  },
  {
    fault: "more than 100 mails are cut to 100",
    broken: ["10.3-08"],
    unaffected: ["10.3-05"],
    change: onBatch((answer) => {
      if (answer.body.error?.details?.[0]?.code === "too_large") answer.status = 202;
    }),
  },
  {
    fault: "defaults do not count for the size of a batch",
    broken: ["10.3-09"],
    unaffected: ["10.3-03"],
    rewriteBody: (body) => body.replace(/^\{"defaults":\{"html":"x+"/, '{"defaults":{"html":"x"'),
  },
];

function onBatch(change: (exchange: Exchange) => unknown): (exchange: Exchange) => void {
  return (exchange) => {
    if (exchange.path.split("?")[0] === "/api/v1/send/batch") change(exchange);
  };
}
