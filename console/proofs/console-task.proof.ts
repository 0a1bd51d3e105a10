import { randomBytes } from "node:crypto";
import type { Proof } from "../../scripts/proof.ts";
import type { ConsoleSession } from "../test/console-session.ts";
import { type HandResult, startHand } from "./task/hand.ts";
import { type Task, type TaskContext, tasks } from "./task/tasks.ts";
import { withConsole } from "./with-console.ts";

const maxInteractions = 5;
const maxSeconds = 10;
/** Longer than any task may take, for machines under load. */
const maxWaitMs = 60_000;

export const proof: Proof = {
  promise:
    "In the console a person finds why Jane got nothing, adds a domain, sends the first mail, lifts a suppression, finds out who revoked a key, " +
    "replays the failed webhooks of yesterday and finds why a request was refused, and an operator holds the tenant that harms the " +
    "reputation, with at most 5 interactions and 10 seconds each",
  covers: ["console/src", "console/proofs/task", "console/test", "service/src/api/v1"],
  size: { small: 1, full: 10 },
  run: (rounds, { progress }) =>
    withConsole(async (session) => {
      const done = tasks.map((task) => ({ task, results: [] as HandResult[] }));
      const problems: string[] = [];
      for (let round = 0; round < rounds; round++) {
        const context = await prepareRound(session);
        for (const { task, results } of done) {
          const result = await perform(session, task, context);
          results.push(result);
          progress(
            `round ${round + 1} of ${rounds}: ${task.name}: ${result.seconds.toFixed(1)} s, ${result.interactions.join("; ")}`,
          );
        }
        problems.push(...(await session.closePages()));
      }
      const isFast = done.every(({ results }) => slowest(results) <= maxSeconds);
      return {
        figure:
          `${rounds} rounds in Chromium, a person who types a key in 0.2 s and points in 1.1 s: ` +
          `${done.map(({ task, results }) => describe(task, results)).join("; ")}; DNS checks excluded, paste into the terminal not counted; ` +
          `${problems.length} errors of the pages${problems[0] === undefined ? "" : ` (first: ${problems[0]})`}`,
        holds:
          problems.length === 0 &&
          done.every(({ results }) => results.every(({ interactions }) => interactions.length <= maxInteractions)) &&
          // The seconds of a test machine that runs other tests at the same time say nothing.
          (rounds < proof.size.full || isFast),
      };
    }),
};

/** Each round is a new account, as on its first day. */
async function prepareRound(session: ConsoleSession): Promise<TaskContext> {
  const label = randomBytes(2).toString("hex");
  const person = await session.aPerson({ role: "owner" });
  return { session, person, domain: `mail.${label}.example`, jane: `jane.doe@northwind-${label}.example` };
}

async function perform(session: ConsoleSession, task: Task, context: TaskContext): Promise<HandResult> {
  await task.prepare(context);
  const page = await session.newPage({ as: task.person?.(context) ?? context.person });
  await task.loggedIn?.(context);
  page.setDefaultTimeout(maxWaitMs);
  await page.goto("/");
  await page.getByText("Time to delivery, p95").waitFor();
  const hand = await startHand(page);
  try {
    await task.perform(hand, context);
  } catch (error) {
    const { interactions } = await hand.result();
    throw new Error(`"${task.name}" failed at ${page.url()} after ${interactions.join("; ")}`, { cause: error });
  }
  return hand.result();
}

function describe({ name }: Task, results: HandResult[]): string {
  const counts = results.map(({ interactions }) => interactions.length);
  const seconds = results.map((result) => result.seconds).toSorted((one, other) => one - other);
  const median = seconds[Math.floor(seconds.length / 2)] ?? Number.NaN;
  return `${name}: ${Math.max(...counts)} interactions, median ${median.toFixed(1)} s, slowest ${slowest(results).toFixed(1)} s`;
}

function slowest(results: HandResult[]): number {
  return Math.max(...results.map(({ seconds }) => seconds));
}
