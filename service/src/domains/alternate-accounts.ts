/**
 * Orders domains so that accounts alternate: the first domain of each account, then the second of each, and so on. The
 * accounts start in a random order, so that when only the beginning of the list is served, no account always misses out.
 */
export function alternateAccounts<Item extends { accountId: string }>(items: Item[]): Item[] {
  const startOf = new Map(items.map(({ accountId }) => [accountId, Math.random()]));
  const taken = new Map<string, number>();
  const placed = items.map((item) => {
    const round = taken.get(item.accountId) ?? 0;
    taken.set(item.accountId, round + 1);
    return { item, place: round + (startOf.get(item.accountId) ?? 0) };
  });
  return placed.toSorted((one, other) => one.place - other.place).map(({ item }) => item);
}
