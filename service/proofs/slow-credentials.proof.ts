import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type SesSimulator, startSesSimulator } from "@postern/ses-simulator";
import type { Finding, Proof } from "../../scripts/proof.ts";
import { readConfig } from "../src/config.ts";
import type { Database } from "../src/db/database.ts";
import { createSesProvider } from "../src/provider/ses/ses-provider.ts";
import { anAccount } from "../test/builders.ts";
import { aVerifiedDomain } from "../test/send-builders.ts";
import { type PosternProcess, spawnPostern } from "../test/spawn-postern.ts";
import { withSimulatedCell } from "../test/with-simulated-cell.ts";
import { killProcess } from "./cell/feedback-cell.ts";
import { readLedger } from "./cell/simulator-control.ts";
import { type Stage, stages } from "./credentials/stages.ts";
import { openCredentials } from "./credentials/worker-credentials.ts";
import { queueSends } from "./sends/queued-sends.ts";
import { until } from "./until.ts";

const fullSize = 200;

export const proof: Proof = {
  promise: "Slow, hanging and failing sources of AWS credentials send no mail twice and lose none",
  covers: [
    "service/proofs/credentials",
    "service/src/cautious-clock.ts",
    "service/src/delivery",
    "service/src/in-doubt",
    "service/src/provider",
    "service/src/queue",
  ],
  size: { small: 12, full: fullSize },
  run: async (size, { serverUrl, progress }) => {
    const isSmall = size < fullSize;
    const chosen = isSmall ? stages.filter(({ isInSmall }) => isInSmall) : stages;
    const simulator = await startSesSimulator({
      verifiedIdentities: chosen.map((_, index) => domainOf(index)),
      maxSendRate: 1_000,
      max24HourSend: -1,
    });
    try {
      const counts = chosen.map(
        (_, index) => Math.floor((size * (index + 1)) / chosen.length) - Math.floor((size * index) / chosen.length),
      );
      const results = await Promise.all(
        chosen.map(async (stage, index) => {
          const given = { stage, domain: domainOf(index), count: counts[index] ?? 0, scale: isSmall ? 100 : 1 };
          const result = await runStage(serverUrl, simulator, given);
          progress(`${stage.name}: done after ${result.seconds.toFixed(0)} s`);
          return result;
        }),
      );
      return evaluate(size, results, await readLedger(simulator));
    } finally {
      await simulator.stop();
      rmSync(simulator.dataFolder, { recursive: true, force: true });
    }
  },
};

function domainOf(stage: number): string {
  return `stage-${stage}.test`;
}

async function createConfigurationSet({ region, url }: SesSimulator): Promise<void> {
  const provider = createSesProvider({ region, endpoint: url, accountId: "000000000000", partition: "aws" });
  await provider.createConfigurationSet("postern-AA");
}

interface GivenStage {
  stage: Stage;
  domain: string;
  count: number;
  /** Divides the seconds of the stage. */
  scale: number;
}

interface StageResult {
  stage: Stage;
  sends: SendRow[];
  hold: string | null;
  seconds: number;
}

interface SendRow {
  id: string;
  status: string;
}

/** A send whose outcome is unknown is sent again soon: a worker that submits too late then makes a second mail. */
const shortDoubt = { IN_DOUBT_SECONDS: "5", IN_DOUBT_MAX_SECONDS: "10" };

function runStage(
  serverUrl: string,
  simulator: SesSimulator,
  { stage, domain, count, scale }: GivenStage,
): Promise<StageResult> {
  return withSimulatedCell(serverUrl, simulator, async ({ db, environment }) => {
    await createConfigurationSet(simulator);
    const accountId = await anAccount(db);
    await aVerifiedDomain(db, accountId, domain);
    await db.query({ name: "known-rate", text: `update provider_state set max_per_second = 1000 where mode = 'live'` });
    const contentKey = readConfig(environment).secrets.contentKey.current;
    const queue = (of: number) => queueSends(db, { accountId, fromDomain: domain, count: of, contentKey });
    const sources = await Promise.all(stage.workers.map((source) => openCredentials(source, scale)));
    const workers: PosternProcess[] = [];
    let started = performance.now();
    const at = (seconds: number) => sleep(Math.max(0, started + (seconds * 1000) / scale - performance.now()));
    try {
      await queue(Math.ceil(count / 2));
      // One after the other, so that the first worker has claimed sends before the next one starts.
      for (const source of sources) {
        workers.push(await spawnPostern("worker", { ...environment, ...shortDoubt, ...source.environment }));
        if (workers.length === 1) started = performance.now();
        await sleep(2_000 / scale);
      }
      const { stopped } = stage;
      await Promise.all([
        stopped && at(stopped.from).then(() => workers[0]?.kill("SIGSTOP")),
        stopped && at(stopped.to).then(() => workers[0]?.kill("SIGCONT")),
        at(stage.secondHalfAt).then(() => queue(Math.floor(count / 2))),
      ]);
      await at(lastMoment(stage));
      await untilSettled(db, stage, scale === 1 ? 5_000 : 1_000);
      const { hold } = await readHold(db);
      return { stage, sends: await readSends(db), hold, seconds: (performance.now() - started) / 1000 };
    } finally {
      await Promise.all(workers.map(killProcess));
      await Promise.all(sources.map((source) => source.close()));
    }
  });
}

/** When the last source has recovered and the last worker runs. */
function lastMoment({ workers, stopped, neverRecovers }: Stage): number {
  if (neverRecovers) return 0;
  const ends = workers.map((source) => source?.phases.reduce((sum, { seconds }) => sum + seconds, 0) ?? 0);
  return Math.max(...ends, stopped?.to ?? 0);
}

/** Probes of a held provider are a minute apart. */
const settleSeconds = 240;

/** A worker that hung may submit right after it recovers, so the wait goes on for `lateMs` beyond the hang and beyond the end. */
async function untilSettled(db: Database, stage: Stage, lateMs: number): Promise<void> {
  await sleep(lateMs);
  const isSettled = async () => {
    if (stage.neverRecovers) return (await readHold(db)).hold !== null;
    return (await readSends(db)).every(({ status }) => status === "sent");
  };
  // A stage that does not settle is a result, not an error of the proof.
  await until(stage.name, settleSeconds, isSettled, 500).catch(() => undefined);
  await sleep(lateMs);
}

function readSends(db: Database): Promise<SendRow[]> {
  return db.query<SendRow>({ name: "stage-sends", text: `select id, status from sends` });
}

async function readHold(db: Database): Promise<{ hold: string | null }> {
  const [row] = await db.query<{ hold: string | null }>({
    name: "stage-hold",
    text: `select hold_reason as hold from provider_state where mode = 'live'`,
  });
  return row ?? { hold: null };
}

/** The ledger of the simulator decides which mails went out. */
function evaluate(size: number, results: StageResult[], ledger: { sendId: string }[]): Finding {
  const mails = new Map<string, number>();
  for (const { sendId } of ledger) mails.set(sendId, (mails.get(sendId) ?? 0) + 1);
  const judged = results.map(({ stage, sends, hold }) => {
    const mailsOf = ({ id }: SendRow) => mails.get(id) ?? 0;
    const expected = stage.neverRecovers ? { status: "queued", mails: 0 } : { status: "sent", mails: 1 };
    return {
      name: stage.name,
      sends: sends.length,
      doubled: sends.filter((send) => mailsOf(send) > 1).length,
      lost: sends.filter((send) => mailsOf(send) < expected.mails).length,
      untrue: sends.filter((send) => send.status !== expected.status).length,
      isHidden: stage.neverRecovers === true && hold !== "operator",
    };
  });
  const sum = (of: (one: (typeof judged)[number]) => number) => judged.reduce((total, one) => total + of(one), 0);
  const [sends, doubled, lost, untrue] = [
    sum((one) => one.sends),
    sum((one) => one.doubled),
    sum((one) => one.lost),
    sum((one) => one.untrue),
  ];
  const hidden = judged.filter(({ isHidden }) => isHidden);
  const problems = judged.filter((one) => one.doubled + one.lost + one.untrue > 0 || one.isHidden);
  return {
    figure:
      `${sends} sends in ${results.length} stages with sources that hang${size < fullSize ? "" : " 1 to 300 s"}: ${doubled} doubled, ${lost} lost, ` +
      `${untrue} with a wrong status; a source that never answers put mail on hold in ${hidden.length === 0 ? "every" : "not every"} case` +
      problems.map((one) => `\n${JSON.stringify(one)}`).join(""),
    holds: sends === size && problems.length === 0,
  };
}
