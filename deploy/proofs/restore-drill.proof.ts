import { sendPath } from "../../scripts/evidence/send-path.ts";
import type { Proof } from "../../scripts/proof.ts";
import { describeEndings } from "./in-doubt-endings.ts";
import { type DrillFigures, runDrill } from "./restore/run-drill.ts";

const fullSize = 40;
/** archive_timeout in deploy/backup/postgresql-archive.conf. */
const shippedArchiveSeconds = 60;

/**
 * The restore to a moment is also the control: what clients sent after the moment must be missing, or the comparison could not find a
 * loss. It runs with IN_DOUBT_POLICY=fail, as the runbook advises to those who prefer a missing mail to a double one.
 */
export const proof: Proof = {
  promise:
    "A pgBackRest backup taken under load restores to the newest archived commit and to a moment; mail that SES reports afterwards is not doubled",
  covers: [
    ...sendPath,
    "deploy/backup",
    "deploy/proofs/restore",
    "deploy/proofs/in-doubt-endings.ts",
    "service/proofs/cell",
    "chaos/load",
    "chaos/check",
  ],
  size: { small: 6, full: fullSize },
  run: async (size, { progress }) => {
    const isFull = size === fullSize;
    const archiveSeconds = isFull ? undefined : 5;
    const reportDelaySeconds = isFull ? 20 : 3;
    const figures = await runDrill({ seconds: size, reportDelaySeconds, archiveSeconds }, progress);
    return { figure: describe(figures), holds: isCorrect(figures, archiveSeconds ?? shippedArchiveSeconds) };
  },
};

function isCorrect({ drill, latest, moment }: DrillFigures, archiveSeconds: number): boolean {
  const isSettled = [latest, moment].every(
    (one) =>
      one.unsent + one.doubledWithEvidence + one.unexplained + one.missingBefore === 0 &&
      one.missingListed === one.missingReported &&
      one.markedInDoubt > 0 &&
      one.inDoubt.unresolved === undefined,
  );
  return (
    Number(drill.sends) > 0 &&
    isSettled &&
    latest.lostSeconds <= archiveSeconds + 5 &&
    latest.reportedLater + moment.reportedLater > 0 &&
    moment.missing > 0 &&
    moment.doubled === 0 &&
    moment.revokedKeyWorks &&
    moment.newKeyIsRefused &&
    moment.suppressionIsGone
  );
}

function describe({ backupSeconds, drill, latest, moment }: DrillFigures): string {
  const restore = (one: DrillFigures["latest"]) => {
    return (
      `${one.acknowledged} acknowledged, ${one.missing} of them lost (the last ${one.lostSeconds.toFixed(1)} s); accepts again after ` +
      `${one.recoverySeconds.toFixed(1)} s (copy and recovery ${one.copySeconds.toFixed(1)} s); ${one.markedInDoubt} marked in doubt, ` +
      `${one.doubled} doubled, of which ${one.doubledWithEvidence} of ${one.reportedLater} that SES reported after the end; how they ended: ${describeEndings(one.inDoubt)}; ` +
      `${one.unsent} known and not submitted; ${one.missingListed} of ${one.missingReported} missing sends that SES reported later ` +
      `are listed; ${one.repeatedWebhooks} webhooks came twice`
    );
  };
  return (
    `full backup under load in ${backupSeconds.toFixed(1)} s; drill beside the running server: ${drill.sends} sends, newest heartbeat ` +
    `${drill.heartbeat_age_seconds} s old, copy ${drill.copy_seconds} s, recovery ${drill.recovery_seconds} s; ` +
    `server killed and its disk lost, restored to the newest state: ${restore(latest)}; ` +
    `restored to a moment with IN_DOUBT_POLICY=fail: ${restore(moment)}, a key revoked later works again, one created later is refused`
  );
}
