import { commandLineActor } from "../../actor.ts";
import type { Database } from "../../db/database.ts";
import { findGuardState, type GuardState, releaseFromGuard, switchGuard } from "../../guard/guard-store.ts";
import { evaluateCounts, percentText } from "../../guard/guard-verdict.ts";
import { minOutcomes, pauseLine, reviewLine } from "../../guard/limits.ts";
import { aligned, countText, durationText, say, timeText } from "../../plain-text.ts";
import { getAccountByIdOrEmail } from "../find-account.ts";

export interface GuardOptions {
  account: string;
  on?: true;
  off?: true;
  release?: true;
}

/** Switches first: an account that is switched off and released in one call is not held in between. */
export async function runGuard(db: Database, { account, on, off, release }: GuardOptions): Promise<void> {
  const { id, name } = await getAccountByIdOrEmail(db, account);
  if (on === true || off === true) await switchGuard(db, id, off === true, commandLineActor());
  if (release === true) say(releasedText(name, await releaseFromGuard(db, id, commandLineActor())));
  const state = await findGuardState(db, id);
  if (state === undefined) throw new Error("the account was deleted while the command ran");
  const operatorHold = state.isHeldByOperator
    ? [`The operator holds this account as well. To end that hold: \`postern admin release --account ${account}\``]
    : [];
  say([describe(name, state), ...operatorHold].join("\n"));
}

function releasedText(name: string, released: { heldSeconds: number } | undefined): string {
  const hold =
    released === undefined
      ? `The guard did not hold the mail of ${name}.`
      : `The guard's hold on the mail of ${name} has ended after ${durationText(released.heldSeconds)}. Workers resume its parked sends.`;
  return `${hold}\nThe guard counts from zero. It does not count mail that was accepted before now.\n`;
}

function describe(name: string, state: GuardState): string {
  const { bounceRate, complaintRate, warnings } = evaluateCounts(state);
  const since = state.releasedAt === null ? "" : `, released ${timeText(state.releasedAt)}`;
  const rows = [
    ["ACCOUNT", name],
    ["GUARD", `${state.isOff ? "off: counts and warns, never holds" : "on"}${since}`],
    ["OUTCOMES", `${countText(state.outcomes)} recipients of live mail in the last 7 days or since the release`],
    ["HARD BOUNCES", rateText(state.hardBounces, bounceRate, "bounceRate")],
    ["COMPLAINTS", rateText(state.complaints, complaintRate, "complaintRate")],
    ["VERDICT", verdictText(state, bounceRate !== undefined, warnings)],
  ];
  return aligned(rows);
}

function rateText(count: number, rate: number | undefined, kind: "bounceRate" | "complaintRate"): string {
  const lines = `SES reviews above ${percentText(reviewLine[kind])}, the guard holds above ${percentText(pauseLine[kind])}`;
  return `${countText(count)}${rate === undefined ? "" : `, ${percentText(rate)}`} (${lines})`;
}

function verdictText({ heldAt, reason }: GuardState, hasRate: boolean, warnings: string[]): string {
  if (heldAt !== null) return `held since ${timeText(heldAt)}: ${reason ?? ""}`;
  if (!hasRate) return `none: fewer than ${minOutcomes} outcomes`;
  return warnings.length === 0 ? "good" : `warning: ${warnings.join(" ")}`;
}
