import { setTimeout as sleep } from "node:timers/promises";
import { change } from "../../../service/test/send-rows.ts";
import type { Mover } from "./move-command.ts";
import { countQueued, countRows, outgoingState, untilHeld } from "./move-states.ts";
import type { MovingCells } from "./open-cells.ts";
import type { SdkLoad } from "./sdk-load.ts";

const acceptsAgainWithinMs = 30_000;

/** Kills a switch during its hold and runs `--undo`. The account must then work in the source, and nothing of it be in the target. Returns what is wrong. */
export async function undoMove(
  { source, target }: MovingCells,
  command: Mover,
  load: SdkLoad,
  accountId: string,
): Promise<string[]> {
  const queuedBefore = await countQueued(source, accountId);
  const switching = command.start("--switch");
  let hasEnded = false;
  const ended = switching.ended.then(() => {
    hasEnded = true;
  });
  const killedIn = await untilHeld(source, accountId, () => hasEnded);
  switching.kill();
  await ended;
  await command.run("--undo");

  const acceptedBefore = load.accepted.length;
  const [account] = await change(source.db, "select suspended_at from accounts where id = $1", [accountId]);
  const rules: [boolean, string][] = [
    [killedIn === "held" || killedIn === "frozen", `the switch was killed in the state ${killedIn}`],
    [(await outgoingState(source, accountId)) === undefined, "the source still knows the move"],
    [account?.suspended_at === null, "the account is still suspended"],
    // The load added to it, and one mail a second left it.
    [(await countQueued(source, accountId)) >= queuedBefore / 2, "the queue of the source is not back"],
    [(await countRows(target, accountId)) === 0, "rows of the account are left in the target"],
    [await acceptsAgain(load, acceptedBefore), "the source does not accept again"],
  ];
  return rules.filter(([holds]) => !holds).map(([, problem]) => problem);
}

async function acceptsAgain(load: SdkLoad, before: number): Promise<boolean> {
  const end = performance.now() + acceptsAgainWithinMs;
  while (performance.now() < end) {
    if (load.accepted.length > before) return true;
    await sleep(100);
  }
  return false;
}
