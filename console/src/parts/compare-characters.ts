export type Run = { text: string; isDifferent: boolean };

/**
 * Marks what differs between two values. A longest common subsequence would mark stray single letters of a value that is
 * entirely different, so values that share less than half are marked whole.
 */
export function compareCharacters(expected: string, found: string): { expected: Run[]; found: Run[] } {
  const [left, right] = [[...expected], [...found]];
  const common = commonCharacters(left, right);
  const shared = common.left.filter(Boolean).length;
  const longest = Math.max(1, Math.min(left.length, right.length));
  if (shared < longest / 2) {
    return {
      expected: runs(
        left,
        left.map(() => false),
      ),
      found: runs(
        right,
        right.map(() => false),
      ),
    };
  }
  return { expected: runs(left, common.left), found: runs(right, common.right) };
}

/** Which characters of each side belong to the longest common subsequence. */
function commonCharacters(left: string[], right: string[]): { left: boolean[]; right: boolean[] } {
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row--) {
    for (let column = right.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        left[row] === right[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const marks = { left: left.map(() => false), right: right.map(() => false) };
  let [row, column] = [0, 0];
  while (row < left.length && column < right.length) {
    if (left[row] === right[column]) {
      marks.left[row] = true;
      marks.right[column] = true;
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return marks;
}

function runs(characters: string[], isCommon: boolean[]): Run[] {
  const result: Run[] = [];
  for (const [index, character] of characters.entries()) {
    const isDifferent = isCommon[index] !== true;
    const last = result.at(-1);
    if (last?.isDifferent === isDifferent) last.text += character;
    else result.push({ text: character, isDifferent });
  }
  return result;
}
