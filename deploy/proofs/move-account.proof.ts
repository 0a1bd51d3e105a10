import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sendPath } from "../../scripts/evidence/send-path.ts";
import type { Proof, ProofTools } from "../../scripts/proof.ts";
import { lastPassMissing, sourceResumed } from "./move-account/faults.ts";
import { MoveCommand } from "./move-account/move-command.ts";
import { type Moved, type MoveOptions, moveUnderLoad } from "./move-account/move-under-load.ts";
import { aMovingAccount } from "./move-account/moving-account.ts";
import { type MovingCells, openMovingCells } from "./move-account/open-cells.ts";
import { sdkRetries } from "./move-account/sdk-load.ts";

const fullSize = 100_000;
/** The small size runs beside other tests, where every process gets little CPU. */
const pauseLimitSeconds = { full: 10, small: 60 };

type Pace = Pick<MoveOptions, "perSecond" | "queued" | "secondsAfter">;
const fullPace: Pace = { perSecond: 20, queued: 1_000, secondsAfter: 60 };
const smallPace: Pace = { perSecond: 5, queued: 100, secondsAfter: 10 };
const controlPace: Pace = { perSecond: 5, queued: 60, secondsAfter: 3 };
const controlSends = 100;

/** The size is the number of sends of record. Two controls then move a small account each, and do one thing wrong. */
export const proof: Proof = {
  promise:
    "An account moves to another cell under load with its keys, record and queue: no request fails, no mail is lost or doubled, and it pauses for 10 s at most",
  covers: [
    ...sendPath,
    "service/src/moves",
    "service/src/cli/admin/move-account.ts",
    "service/src/suppressions",
    "service/src/usage",
    "sdk/src",
    "deploy/cells",
    "chaos/cell",
  ],
  size: { small: 2_000, full: fullSize },

  async run(size, { progress }) {
    const isFull = size === fullSize;
    const folder = mkdtempSync(join(tmpdir(), "postern-move-"));
    progress(`logs in ${folder}`);
    const cells = await openMovingCells(folder);
    try {
      const move = mover(cells, progress);
      const moved = await move({
        name: "move",
        number: 0,
        sends: size,
        ...(isFull ? fullPace : smallPace),
        undoesFirst: true,
      });
      const control = { sends: controlSends, ...controlPace, undoesFirst: false };
      const resumed = await move({ name: "control-resumed", number: 1, ...control, fault: sourceResumed });
      const incomplete = await move({ name: "control-incomplete", number: 2, ...control, fault: lastPassMissing });
      const holds =
        isComplete(moved, isFull ? pauseLimitSeconds.full : pauseLimitSeconds.small) &&
        resumed.doubled.length > 0 &&
        incomplete.lost.length > 0 &&
        incomplete.record.missingSends > 0;
      if (holds) rmSync(folder, { recursive: true, force: true });
      const { doubled } = resumed;
      return {
        figure:
          `${describe(moved)}\n` +
          `control, ${sourceResumed.name}: ${doubled.length} doubled\n` +
          `control, ${lastPassMissing.name}: ${incomplete.lost.length} lost, ${incomplete.record.missingSends} sends missing in the target`,
        holds,
      };
    } finally {
      await cells.close();
    }
  },
};

type Run = Omit<MoveOptions, "sender"> & { number: number; sends: number };

function mover(cells: MovingCells, progress: ProofTools["progress"]): (run: Run) => Promise<Moved> {
  return async ({ number, sends, ...options }) => {
    progress(`${options.name}: storing ${sends} sends of record`);
    const sender = await aMovingAccount(cells.source, number, sends);
    const command = new MoveCommand(cells, sender.accountId);
    return moveUnderLoad(cells, command, { ...options, sender }, progress);
  };
}

function isComplete(moved: Moved, pauseLimit: number): boolean {
  const { record, undoProblems } = moved;
  return (
    moved.refused.length + moved.lost.length + moved.doubled.length + moved.otherIds + moved.unreported === 0 &&
    record.missingSends + record.missingEvents + record.doubledEvents === 0 &&
    undoProblems?.length === 0 &&
    moved.hasLateBounce &&
    moved.queuedAtSwitch > 0 &&
    moved.inTarget > 0 &&
    // Not a number when the target accepted nothing.
    moved.pauseSeconds <= pauseLimit
  );
}

function describe(moved: Moved): string {
  const { record, undoProblems, refused } = moved;
  return (
    `${record.sends} sends and ${record.events} events in the source, ${moved.queuedAtSwitch} queued at the switch, ${moved.requests} requests by ` +
    `the SDK with ${sdkRetries} retries: ${refused.length} refused, ${moved.lost.length} lost, ${moved.doubled.length} doubled, ` +
    `${moved.inTarget} sent by the target; hold of ${moved.holdSeconds.toFixed(1)} s, ${moved.pauseSeconds.toFixed(1)} s until the ` +
    `target accepted a request with the same key (${moved.answers503} answers 503 and ${moved.lostConnections} lost connections repeated); ` +
    `in the target ${record.missingSends} sends and ${record.missingEvents} events missing, ${record.doubledEvents} events twice, ` +
    `${moved.unreported} sends without a report, ${moved.otherIds} repeated requests with another id, a late bounce ` +
    `${moved.hasLateBounce ? "found" : "missing"}; a switch killed during the hold and undone: ` +
    `${undoProblems?.length === 0 ? "the source works on" : undoProblems?.join(", ")}` +
    [...new Set(refused)].map((reason) => `\nrefused: ${reason}`).join("")
  );
}
