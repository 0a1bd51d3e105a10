import assert from "node:assert/strict";
import { until } from "../../../service/proofs/until.ts";
import { type Caller, call } from "./caller.ts";
import { longestWaitSeconds } from "./steps.ts";

/** Registers a domain, publishes its records in the DNS of the simulator and waits until a worker has verified it. */
export async function verifyDomain(user: Caller, simulatorUrl: string, domain: string): Promise<void> {
  const registered = await call(user, "/api/v1/domains", { domain_name: domain });
  await call({ urls: [simulatorUrl], headers: {} }, "/_simulator/dns", registered);
  await until(
    `${domain} is verified`,
    longestWaitSeconds,
    async () => {
      const { verification_status: status } = await call(user, `/api/v1/domains/${String(registered.domain_id)}`);
      return status === "Success";
    },
    500,
  );
}

/** Throws unless SES accepted exactly one mail for each of these sends. */
export async function expectOneSubmissionEach(simulatorUrl: string, ids: string[]): Promise<void> {
  const response = await fetch(`${simulatorUrl}/_simulator/ledger.ndjson`);
  const records = (await response.text()).split("\n").filter(Boolean);
  const accepted = new Map<string, number>();
  for (const record of records) {
    const [id = ""] = JSON.parse(record).tags.send_id ?? [];
    accepted.set(id, (accepted.get(id) ?? 0) + 1);
  }
  const count = (wanted: (times: number) => boolean) => ids.filter((id) => wanted(accepted.get(id) ?? 0)).length;
  assert.equal(
    count((times) => times === 0),
    0,
    "mails that SES never accepted",
  );
  assert.equal(
    count((times) => times > 1),
    0,
    "mails that SES accepted more than once",
  );
}
