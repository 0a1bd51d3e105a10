/** Suggests the known name that contains the given one, or else the closest one: one edit away, in a longer name two. */
export function nearestName(given: string, known: string[]): string | undefined {
  if (given.length > 64) return undefined;
  const simplifiedGiven = simplified(given);
  const ranked = known
    .map((name) => ({ name, edits: distance(simplifiedGiven, simplified(name)) }))
    .toSorted((one, other) => one.edits - other.edits);
  const containing = known.find((name) => simplifiedGiven.length >= 4 && simplified(name).includes(simplifiedGiven));
  if (containing !== undefined) return containing;
  const [best] = ranked;
  return best !== undefined && best.edits <= (best.name.length > 5 ? 2 : 1) ? best.name : undefined;
}

/** `replyTo`, `reply-to` and `reply_to` are the same name. */
function simplified(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Edits between two names: a letter added, removed or replaced, or two neighbours exchanged (optimal string alignment). */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, target] of [...other].entries()) {
      const replaced = (row[column] ?? 0) + (letter === target ? 0 : 1);
      const isExchange = index > 0 && column > 0 && letter === other[column - 1] && one[index - 1] === target;
      const exchanged = isExchange ? (before[column - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(replaced, exchanged, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
