/** Suggests the known name that contains the given one, or else the closest one within two edits. */
export function nearestName(given: string, known: string[]): string | undefined {
  if (given.length > 64) return undefined;
  const simplifiedGiven = simplified(given);
  const ranked = known
    .map((name) => ({ name, edits: distance(simplifiedGiven, simplified(name)) }))
    .toSorted((one, other) => one.edits - other.edits);
  const containing = known.find((name) => simplifiedGiven.length >= 4 && simplified(name).includes(simplifiedGiven));
  if (containing !== undefined) return containing;
  const [best] = ranked;
  return best !== undefined && best.edits <= Math.min(2, Math.floor(best.name.length / 2)) ? best.name : undefined;
}

/** `replyTo`, `reply-to` and `reply_to` are the same name. */
function simplified(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Levenshtein distance. */
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
