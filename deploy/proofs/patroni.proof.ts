import { sendPath } from "../../scripts/evidence/send-path.ts";
import type { Proof } from "../../scripts/proof.ts";
import { describeEndings } from "./in-doubt-endings.ts";
import { type KilledLeaders, killLeaders } from "./patroni/kill-leaders.ts";

/**
 * Patroni 3.0 with etcd and three nodes of PostgreSQL 15, behind HAProxy. The third scenario is the control: its standbys are three
 * seconds behind, so acknowledged sends must be missing and mail must be in doubt, or the checks of the other two could not fail.
 */
export const proof: Proof = {
  promise:
    "After the death of a Patroni leader Postern continues by itself: synchronously replicated mail is neither lost nor doubled, and queued mail not in doubt",
  covers: [
    ...sendPath,
    "deploy/proofs/patroni",
    "deploy/proofs/in-doubt-endings.ts",
    "service/proofs/cell",
    "chaos/load",
    "chaos/check",
  ],
  size: { small: 1, full: 3 },
  run: async (size, { progress }) => {
    const report = (name: string) => (message: string) => progress(`${name}: ${message}`);
    const synchronous = await killLeaders({ isSynchronous: true, kills: size }, report("synchronous"));
    const asynchronous = await killLeaders({ isSynchronous: false, kills: size }, report("asynchronous"));
    const control = await killLeaders({ isSynchronous: false, kills: 1, cutsReplication: true }, report("control"));
    return {
      figure: [
        describe("synchronous", synchronous),
        describe("asynchronous", asynchronous),
        describe("control, with standbys three seconds behind", control),
      ].join("; "),
      holds:
        isComplete(synchronous) &&
        synchronous.missing + synchronous.doubled + synchronous.swept === 0 &&
        synchronous.withoutLoss === size &&
        isComplete(asynchronous) &&
        asynchronous.unexplained === 0 &&
        asynchronous.swept > 0 &&
        control.missing > 0 &&
        control.swept > 0,
    };
  },
};

/** Every known send went out, and mail was waiting at each kill. */
function isComplete({ unsent, backlogs, inDoubt }: KilledLeaders): boolean {
  return unsent === 0 && Math.min(...backlogs) > 0 && inDoubt.unresolved === undefined;
}

function describe(name: string, one: KilledLeaders): string {
  const seconds = (values: number[]) => values.map((value) => value.toFixed(1)).join(", ");
  return (
    `${name}, ${one.backlogs.length} leaders killed with ${one.backlogs.join(", ")} sends ready: ${one.acknowledged} acknowledged, ` +
    `${one.missing} of them lost, ${one.unsent} known and not submitted, ${one.doubled} doubled (${one.unexplained} without a record of ` +
    `why); seconds without an accepted request ${seconds(one.secondsWithoutAccept)}, without a submission ` +
    `${seconds(one.secondsWithoutSubmit)}; in doubt ${one.swept} by the failover and ${one.expired} by an expired lease, ` +
    `and how all sends without a known outcome ended: ${describeEndings(one.inDoubt)}; ${one.mailsOfUnknown} submitted and missing from the database`
  );
}
