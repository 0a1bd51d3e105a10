/** The known name a person probably meant: one that holds what was given, or at most two slips away. */
export function nearestName(given: string, known: string[]): string | undefined {
  if (given.length > 64) return undefined;
  const plain = simplified(given);
  const ranked = known
    .map((name) => ({ name, slips: distance(plain, simplified(name)) }))
    .toSorted((one, other) => one.slips - other.slips);
  const part = known.find((name) => plain.length >= 4 && simplified(name).includes(plain));
  if (part !== undefined) return part;
  const [best] = ranked;
  return best !== undefined && best.slips <= Math.min(2, Math.floor(best.name.length / 2)) ? best.name : undefined;
}

/** `replyTo` and `reply-to` are the same slip as `replyto`. */
function simplified(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Levenshtein distance, one row at a time. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, target] of [...other].entries()) {
      const replaced = (row[column] ?? 0) + (letter === target ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
