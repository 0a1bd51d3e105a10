import { setTimeout as sleep } from "node:timers/promises";
import type { ProofTools } from "../../../scripts/proof.ts";
import type { TestSender } from "../../../service/proofs/sends/sending-client.ts";
import { compareRecords, type RecordDifferences } from "./compare-records.ts";
import { countMail, type MailCounts, readMails } from "./count-mail.ts";
import type { Fault } from "./faults.ts";
import { reportLateBounce } from "./late-bounce.ts";
import type { Mover } from "./move-command.ts";
import {
  changeRate,
  countQueued,
  countUnreported,
  type MoveTimes,
  readMoveTimes,
  verifyDomains,
} from "./move-states.ts";
import type { MovingCells } from "./open-cells.ts";
import { SdkLoad } from "./sdk-load.ts";
import { undoMove } from "./undo-move.ts";

export interface MoveOptions {
  name: string;
  sender: TestSender;
  perSecond: number;
  /** Queued before the switch, beside the load. */
  queued: number;
  /** Of load after the switch. */
  secondsAfter: number;
  /** Begins a switch, kills it, and undoes it, before the real one. */
  undoesFirst: boolean;
  fault?: Fault;
}

export interface Moved extends MailCounts {
  requests: number;
  refused: string[];
  queuedAtSwitch: number;
  answers503: number;
  lostConnections: number;
  /** From the suspension to the release. */
  holdSeconds: number;
  /** From the suspension to the first request that the target accepted. */
  pauseSeconds: number;
  undoProblems: string[] | undefined;
  record: RecordDifferences;
  /** Repeated requests whose answer had another id than in the source. */
  otherIds: number;
  hasLateBounce: boolean;
  /** Sends in the target without a report of SES, after the late ones were brought there. */
  unreported: number;
}

const normalRate = 5_000;
/** Of SES in the source while mail must wait in its queue. */
const slowRate = 1;
/** Of SES in the target during a control that takes rows out of its queue. */
const slowTargetRate = 3;
const loadSecondsBefore = 3;
const finishWithinMs = 180_000;
const reportWithinMs = 60_000;
const repeats = 20;

/** Moves one account by the command while an application sends through the proxy, and counts what happened to its mail. */
export async function moveUnderLoad(
  cells: MovingCells,
  command: Mover,
  options: MoveOptions,
  progress: ProofTools["progress"],
): Promise<Moved> {
  const { source, target, proxyUrl } = cells;
  const { sender, fault, perSecond } = options;
  const { accountId } = sender;
  const say = (text: string) => progress(`${options.name}: ${text}`);
  const load = new SdkLoad(`${options.name}-${Date.now().toString(36)}`, proxyUrl, sender);
  load.start(perSecond);
  try {
    await sleep(loadSecondsBefore * 1000);
    say("preparing");
    await prepare(cells, command, accountId);

    let undoProblems: string[] | undefined;
    if (options.undoesFirst) {
      say("beginning a switch and undoing it");
      await changeRate(source, slowRate);
      await load.sendMany(Math.ceil(options.queued / 10));
      undoProblems = await undoMove(cells, command, load, accountId);
      await changeRate(source, normalRate);
      say("preparing again");
      await prepare(cells, command, accountId);
    }

    await changeRate(source, slowRate);
    if (fault !== undefined) await changeRate(target, slowTargetRate);
    await load.sendMany(options.queued);
    await fault?.before(source, target, accountId);
    const acceptedBefore = load.accepted;
    const queuedAtSwitch = await countQueued(source, accountId);
    say("switching");
    await command.run("--switch");
    await fault?.after(source, target, accountId);
    await cells.route(await command.keys());
    await Promise.all([changeRate(source, normalRate), changeRate(target, normalRate)]);
    say("sending on");
    await sleep(options.secondsAfter * 1000);
    await load.finish();
    // What does not go out in time shows as lost.
    const inQueues = async () => (await countQueued(source, accountId)) + (await countQueued(target, accountId));
    await countLeft(inQueues, finishWithinMs);

    say("comparing");
    const mails = await readMails(cells);
    const hasLateBounce =
      fault === undefined && (await reportLateBounce(cells, command, sender, acceptedBefore, mails));
    return {
      ...countMail(load.sends, mails),
      ...timesOf(load, await readMoveTimes(source, target, accountId)),
      requests: load.sends.length,
      refused: load.refused.map(({ refusal }) => refusal ?? ""),
      queuedAtSwitch,
      answers503: load.repeated.answers503,
      lostConnections: load.repeated.lostConnections,
      undoProblems,
      record: await compareRecords(source, target, sender),
      otherIds: await countOtherIds(load, acceptedBefore),
      hasLateBounce,
      unreported: await countLeft(() => countUnreported(target, accountId), fault === undefined ? reportWithinMs : 0),
    };
  } finally {
    await load.finish();
  }
}

async function prepare({ target }: MovingCells, command: Mover, accountId: string): Promise<void> {
  // The first time it ends by saying that DNS records are missing.
  const { code, output } = await command.start().ended;
  if (code === null) throw new Error(`move-account did not end: ${output}`);
  await verifyDomains(target, accountId).catch((error: unknown) => {
    throw new Error(`after the first run of move-account:\n${output}`, { cause: error });
  });
  await command.run();
}

/** Waits until nothing is left, or the time is up. */
async function countLeft(count: () => Promise<number>, withinMs: number): Promise<number> {
  const end = performance.now() + withinMs;
  for (;;) {
    const left = await count();
    if (left === 0 || performance.now() > end) return left;
    await sleep(250);
  }
}

function timesOf(load: SdkLoad, { heldMs, releasedMs }: MoveTimes): Pick<Moved, "holdSeconds" | "pauseSeconds"> {
  const later = load.accepted.map(({ acceptedMs = 0 }) => acceptedMs).filter((at) => at > releasedMs);
  return {
    holdSeconds: (releasedMs - heldMs) / 1000,
    pauseSeconds: (Math.min(...later) - heldMs) / 1000,
  };
}

/** The idempotency keys of the source also count in the target. */
async function countOtherIds(load: SdkLoad, accepted: SdkLoad["sends"]): Promise<number> {
  let others = 0;
  for (const send of accepted.slice(-repeats)) if ((await load.repeat(send)) !== send.id) others += 1;
  return others;
}
