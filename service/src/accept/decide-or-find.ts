import type { Queryable } from "../db/database.ts";
import { AppError } from "../errors.ts";
import type { Candidate, Decide, Decision } from "./accept-batch.ts";
import { findAcceptedSends } from "./find-accepted-sends.ts";

/** Nobody knows whether the mail was stored. */
export interface Unknown {
  kind: "unknown";
  error: AppError;
}

/**
 * Decides the mails of one request. If the connection breaks, the commit may have happened:
 *
 * 1. Look the ids up. A mail that is stored is answered with its send.
 * 2. If one of them is stored, the statement has ended and stored none of the others: decide those again. It has also counted the request,
 *    so the second decision does not, and no limit refuses the stored mails.
 * 3. If none is, decide those with an idempotency key again: the second try finds the first one.
 * 4. A mail without a key stays unknown: a second try could send a second mail.
 */
export async function decideOrFind(
  { db, decide }: { db: Queryable; decide: Decide },
  candidates: Candidate[],
): Promise<(Decision | Unknown)[]> {
  try {
    return await decide(candidates);
  } catch (error) {
    if (!isLostAnswer(error)) throw error;
    const stored = await findStored(db, candidates);
    const undecided = candidates.filter(({ send }) => send === undefined || !stored.has(send.id));
    const mayRepeat = ({ send }: Candidate) => stored.size > 0 || send?.idempotencyHash !== undefined;
    const again = await decideAgain(decide, undecided.filter(mayRepeat), { isCounted: stored.size > 0 });
    return candidates.map((candidate) => {
      const answer = candidate.send && stored.get(candidate.send.id);
      if (answer !== undefined) return { kind: "stored", usage: undefined, answer };
      return again.get(candidate) ?? { kind: "unknown", error };
    });
  }
}

/** Without a cause, the request was refused before a statement ran. */
function isLostAnswer(error: unknown): error is AppError {
  return error instanceof AppError && error.code === "UNAVAILABLE" && error.cause !== undefined;
}

async function findStored(db: Queryable, candidates: Candidate[]) {
  const ids = candidates.flatMap(({ send }) => send?.id ?? []);
  const [first] = candidates;
  const found = first === undefined || ids.length === 0 ? [] : await findAcceptedSends(db, first, ids);
  return new Map(found.map((answer) => [answer.sendId, answer]));
}

/** Those that are stored already must be reported, even if the second try fails as well. */
async function decideAgain(
  decide: Decide,
  candidates: Candidate[],
  { isCounted }: { isCounted: boolean },
): Promise<Map<Candidate, Decision | Unknown>> {
  if (candidates.length === 0) return new Map();
  try {
    const decisions = await decide(candidates.map((candidate) => ({ ...candidate, isCounted })));
    return new Map(candidates.map((candidate, index) => [candidate, decisions[index] as Decision]));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return new Map(candidates.map((candidate) => [candidate, { kind: "unknown", error }]));
  }
}
