import { adoptFingerprintKey, getFingerprintKey } from "../accept/fingerprint-keys.ts";
import { pepperNames } from "./check-move.ts";
import type { CopyDeps } from "./copy-records/copy-deps.ts";
import { type CopiedRecords, copyPass } from "./copy-records/copy-pass.ts";
import type { Horizon } from "./copy-records/horizon.ts";
import { inMove } from "./incoming-move.ts";
import type { MoveContext } from "./move-context.ts";
import type { MoveKey } from "./outgoing-move.ts";

/** A pass that is this short copied what changed in about as long: the last one, in the hold, will not be much shorter. */
const shortMs = 1_500;
const maxPasses = 5;

/** All that the account has now. It can be repeated: rows that the target has already are not written again. */
export async function copyAll(context: MoveContext, move: MoveKey): Promise<CopiedRecords> {
  return copyPass(await depsOf(context, move), { isLast: false, onProgress: showRows(context) });
}

/** Passes, while the account works, until one is short. Returns from when on changes are not copied. */
export async function copyUntilLittleIsLeft(context: MoveContext, move: MoveKey, since: Horizon): Promise<Horizon> {
  let horizon = since;
  for (let pass = 1; pass <= maxPasses; pass++) {
    const startedAt = performance.now();
    const options = { since: horizon, isLast: false, onProgress: showRows(context) };
    const copied = await copyPass(await depsOf(context, move), options);
    horizon = copied.horizon;
    if (performance.now() - startedAt < shortMs) break;
  }
  return horizon;
}

/** The rest, of a frozen account. */
export async function lastCopy(context: MoveContext, move: MoveKey, since: Horizon | undefined): Promise<void> {
  await copyPass(await depsOf(context, move), { since, isLast: true, onProgress: showRows(context) });
}

async function depsOf({ source, target, account, runId }: MoveContext, move: MoveKey): Promise<CopyDeps> {
  const fingerprintKey = await getFingerprintKey(source.db, source.contentKey, account.id);
  return {
    source: source.db,
    target: target.db,
    accountId: account.id,
    keys: {
      source: source.contentKey,
      target: target.contentKey,
      pepperNames: pepperNames(source.apiKeyPepper, target.apiKeyPepper),
      fingerprintKey: await adoptFingerprintKey(target.db, target.contentKey, fingerprintKey),
    },
    span: target.partitionSpan,
    inTarget: (work) => inMove(target.db, { ...move, runId }, work),
  };
}

function showRows({ onRows }: MoveContext) {
  return (rows: Readonly<Record<string, number>>) => onRows(Object.values(rows).reduce((sum, count) => sum + count, 0));
}
