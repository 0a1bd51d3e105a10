import { findListedAccount, type ListedAccount, listAccounts, listAccountsById } from "../accounts/list-accounts.ts";
import { listQuotasOf, noLimits, type QuotaLimits } from "../accounts/quota-store.ts";
import type { Queryable } from "../db/database.ts";
import { type GuardState, listGuardStates } from "../guard/guard-store.ts";
import { bothModes, type Mode } from "../mode.ts";
import { recipientsLastDay } from "../usage/recipients-last-day.ts";
import { recipientsToday } from "../usage/recipients-today.ts";
import { type AccountRank, rankAccounts } from "./rank-accounts.ts";

/** What an operator decides by: who the account is, what stops its mail, what it may use and what it uses. */
export interface AccountState extends ListedAccount {
  guard: GuardState;
  modes: Record<Mode, { quotas: QuotaLimits; recipientsToday: number; recipientsLastDay: number }>;
}

/** One page of all accounts, oldest first, with a fixed number of statements. */
export async function listAccountStates(
  db: Queryable,
  page: { after: string | undefined; search?: string | undefined; limit: number },
): Promise<AccountState[]> {
  return withStates(db, await listAccounts(db, page));
}

/** The first accounts by volume or rate. They have no second page: the order changes while somebody reads. */
export async function listRankedStates(
  db: Queryable,
  rank: AccountRank,
  page: { search: string | undefined; limit: number },
): Promise<AccountState[]> {
  return withStates(db, await listAccountsById(db, await rankAccounts(db, rank, page)));
}

export async function findAccountState(db: Queryable, accountId: string): Promise<AccountState | undefined> {
  const account = await findListedAccount(db, accountId);
  return account && (await withStates(db, [account]))[0];
}

async function withStates(db: Queryable, accounts: ListedAccount[]): Promise<AccountState[]> {
  const ids = accounts.map(({ id }) => id);
  if (ids.length === 0) return [];
  const [guards, quotas, used, lastDay] = await Promise.all([
    listGuardStates(db, ids),
    listQuotasOf(db, ids),
    recipientsToday(db, ids),
    recipientsLastDay(db, ids),
  ]);
  const guardOf = new Map(guards.map((guard) => [guard.accountId, guard]));
  return accounts.flatMap((account) => {
    const guard = guardOf.get(account.id);
    const isOf = (mode: Mode) => (row: { accountId: string; mode: Mode }) =>
      row.accountId === account.id && row.mode === mode;
    const ofMode = (mode: Mode) => ({
      quotas: quotas.find(isOf(mode)) ?? noLimits,
      recipientsToday: used.find(isOf(mode))?.recipients ?? 0,
      recipientsLastDay: lastDay.find(isOf(mode))?.recipients ?? 0,
    });
    const [live, test] = bothModes.map(ofMode);
    if (guard === undefined || live === undefined || test === undefined) return [];
    return [{ ...account, guard, modes: { live, test } }];
  });
}
