import { rmSync } from "node:fs";
import { startSesSimulator } from "@postern/ses-simulator";
import type { Finding, Proof } from "../../scripts/proof.ts";
import { readConfig } from "../src/config.ts";
import type { Database } from "../src/db/database.ts";
import { createSesProvider } from "../src/provider/ses/ses-provider.ts";
import { storeQuota } from "../src/queue/provider-hold.ts";
import { spawnPostern } from "../test/spawn-postern.ts";
import { withSimulatedCell } from "../test/with-simulated-cell.ts";
import { readLedger } from "./cell/simulator-control.ts";
import { type DenialCycle, type DenialFixture, missingSet, runDenialCycle } from "./denied/denial-cycle.ts";
import { startSubmitProxy } from "./proxies/submit-proxy.ts";
import { makeDomainSenders } from "./sends/domain-senders.ts";

const fullSize = 400;
const maxPerSecond = 50;
const maxOtherWaitSeconds = 10;
const maxResumeSeconds = 120;
/** SES denies mail from the first two. The configuration set of the third does not exist. */
const deniedDomains = ["denied.test", "refused.test", "missing.test"];
const otherDomains = ["shop.test", "bank.test"];

export const proof: Proof = {
  promise:
    "When SES denies an identity or a configuration set, only that domain waits; it resumes within two minutes, 0 lost, 0 doubled",
  covers: [
    "service/migrations",
    "service/proofs/denied",
    "service/src/db",
    "service/src/delivery",
    "service/src/provider/ses",
    "service/src/queue",
  ],
  size: { small: 6, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const verifiedIdentities = [...deniedDomains, ...otherDomains];
    const simulator = await startSesSimulator({ verifiedIdentities, maxSendRate: maxPerSecond, max24HourSend: -1 });
    const proxy = await startSubmitProxy(simulator.url);
    try {
      return await withSimulatedCell(serverUrl, { ...simulator, url: proxy.url }, async ({ db, environment }) => {
        const { region, url: endpoint } = simulator;
        const provider = createSesProvider({ region, endpoint, accountId: "000000000000", partition: "aws" });
        await provider.createConfigurationSet("postern-AA");
        const denied = await makeDomainSenders(db, deniedDomains);
        const others = await makeDomainSenders(db, otherDomains);
        await useMissingSet(db);
        await storeQuota(db, "live", { perSecond: maxPerSecond, enforcementStatus: undefined });
        const contentKey = readConfig(environment).secrets.contentKey.current;
        const isFull = size === fullSize;
        const workers = await Promise.all(
          Array.from({ length: isFull ? 2 : 1 }, () => spawnPostern("worker", environment)),
        );
        const fixture = { isFull, size, simulator, provider, proxy, db, contentKey, denied, others, progress };
        try {
          return evaluate(fixture, await runDenialCycle(fixture), await readLedger(simulator));
        } finally {
          for (const { kill } of workers) kill("SIGTERM");
          await Promise.all(workers.map(({ exited }) => exited));
        }
      });
    } finally {
      await proxy.close();
      await simulator.stop();
      rmSync(simulator.dataFolder, { recursive: true, force: true });
    }
  },
};

async function useMissingSet(db: Database): Promise<void> {
  await db.query({
    name: "use-missing-set",
    text: "update domains set configuration_set_name = $1 where domain_name = 'missing.test'",
    values: [missingSet],
  });
}

function evaluate(
  { isFull }: DenialFixture,
  cycle: DenialCycle,
  ledger: { sendId: string; acceptedAt: number }[],
): Finding {
  const { deniedIds, otherIds, denials, deniedSeconds, resumedSeconds, wasHeld } = cycle;
  const accepted = new Map(ledger.map(({ sendId, acceptedAt }) => [sendId, acceptedAt]));
  const lost = [...deniedIds, ...otherIds.keys()].filter((id) => !accepted.has(id)).length;
  const doubled = ledger.length - accepted.size;
  const waits = [...otherIds].map(([id, queuedAt]) => ((accepted.get(id) ?? Number.NaN) - queuedAt) / 1000);
  const longestWait = Math.max(...waits);
  return {
    figure:
      `SES denied ${deniedDomains.length} of ${deniedDomains.length + otherDomains.length} domains for ${deniedSeconds.toFixed(0)} s: ` +
      `${otherIds.size} sends of the others waited ${longestWait.toFixed(1)} s at most; SES saw ${denials} denied requests for ` +
      `${deniedIds.length} sends, and accepted the last of them ${resumedSeconds.toFixed(0)} s after the permission was back; ` +
      `${lost} lost, ${doubled} doubled`,
    // Times measured beside other tests prove nothing; a hold would last a minute.
    holds:
      lost === 0 &&
      doubled === 0 &&
      !wasHeld &&
      (!isFull || (longestWait < maxOtherWaitSeconds && resumedSeconds <= maxResumeSeconds)),
  };
}
