import { rmSync } from "node:fs";
import { type SesSimulator, type SimulatorOptions, startSesSimulator } from "@postern/ses-simulator";
import type { Environment } from "../../src/config.ts";
import { deadLetterQueueNameOf } from "../../src/provider/cell-names.ts";
import { findQueueAttributes, findQueueUrl, queueCalls } from "../../src/provider/ses/setup/queue-calls.ts";
import { setUp } from "../../src/provider/ses/setup/set-up.ts";
import { type PosternProcess, spawnPostern } from "../../test/spawn-postern.ts";
import { withSimulatedCell } from "../../test/with-simulated-cell.ts";
import { until } from "../until.ts";

type SimulatedCell = Parameters<Parameters<typeof withSimulatedCell>[2]>[0];

export interface FeedbackCell extends SimulatedCell {
  simulator: SesSimulator;
  topicArn: string;
  queueUrl: string;
  /** Starts a real process of this cell; the cell kills it when the proof ends. */
  start(
    role: "api" | "worker" | "serve",
    changes?: Environment,
    program?: readonly [string, ...string[]],
  ): Promise<PosternProcess>;
  /** The number of messages in the feedback queue, including those in flight at a consumer. */
  queued(): Promise<number>;
  deadLetters(): Promise<number>;
}

const cellCode = "AA";

/** A simulator with everything that `postern aws setup` creates, a database, and processes that use both. */
export async function withFeedbackCell<Result>(
  serverUrl: string,
  options: SimulatorOptions,
  work: (cell: FeedbackCell) => Promise<Result>,
): Promise<Result> {
  const simulator = await startSesSimulator({ maxSendRate: 5_000, max24HourSend: -1, ...options });
  const processes: PosternProcess[] = [];
  try {
    return await withSimulatedCell(serverUrl, simulator, async (cell) => {
      const { topicArn, queueUrl } = await setUpAll(simulator);
      const environment = {
        ...cell.environment,
        AWS_FEEDBACK_TOPIC_ARN: topicArn,
        AWS_FEEDBACK_QUEUE_URL: queueUrl,
        FEEDBACK_PUSH: "on",
      };
      const calls = queueCalls(simulator.region, simulator.url);
      const deadQueueUrl = (await findQueueUrl(calls, deadLetterQueueNameOf(cellCode))) ?? "";
      const messagesIn = async (url: string) => {
        const attributes = await findQueueAttributes(calls, url);
        const { ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible } = attributes ?? {};
        return Number(ApproximateNumberOfMessages) + Number(ApproximateNumberOfMessagesNotVisible);
      };
      const start: FeedbackCell["start"] = async (role, changes, program) => {
        const started = await spawnPostern(role, { ...environment, ...changes }, program);
        processes.push(started);
        return started;
      };
      try {
        return await work({
          ...cell,
          environment,
          simulator,
          topicArn,
          queueUrl,
          start,
          queued: () => messagesIn(queueUrl),
          deadLetters: () => messagesIn(deadQueueUrl),
        });
      } finally {
        calls.client.destroy();
        await Promise.all(processes.map(killProcess));
      }
    });
  } finally {
    await simulator.stop();
    rmSync(simulator.dataFolder, { recursive: true, force: true });
  }
}

export async function killProcess({ kill, exited }: PosternProcess): Promise<void> {
  kill("SIGKILL");
  await exited;
}

async function setUpAll({ region, url }: SesSimulator) {
  const endpoints = { ses: url, sns: url, sqs: url };
  const steps = setUp({ cellCode, region, endpoints, pauseMs: 0 });
  for (;;) {
    const step = await steps.next();
    if (step.done === true) return step.value;
  }
}

/** A worker reads the rate when it starts; until then it sends one mail a second. */
export async function untilRateIsKnown({ db }: Pick<FeedbackCell, "db">): Promise<void> {
  await until("a worker has read the quota", 20, async () => {
    const [row] = await db.query<{ rate: number | null }>({
      name: "known-rate",
      text: `select max_per_second as rate from provider_state where mode = 'live'`,
    });
    return row?.rate !== null;
  });
}

export interface SimulatorHealth {
  accepted: number;
  pendingEvents: number;
  pendingPushes: number;
  discardedBySns: number;
}

export async function healthOf({ url }: Pick<SesSimulator, "url">): Promise<SimulatorHealth> {
  const response = await fetch(`${url}/_simulator/health`);
  return (await response.json()) as SimulatorHealth; // The simulator defines this shape; a missing member fails the proof.
}

/** The value of a counter of this process, summed over all labels. */
export async function counterOf({ operationsUrl }: PosternProcess, name: string): Promise<number> {
  const text = await (await fetch(`${operationsUrl}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}
