interface MisspeltSetting {
  name: string;
  /** The known setting that was probably meant. */
  nearest: string;
}

/** Variables of the AWS SDK differ from ours by the short name of a service, such as AWS_ENDPOINT_URL_SSM. */
const foreign = /^AWS_ENDPOINT_URL_/;

/**
 * Finds variables that nothing reads but whose name is almost that of a setting. The environment is full of variables of other
 * programs, so the rule is strict: the longer a name, the more letters may differ, and a name like HOST is too short to decide.
 */
export function findMisspeltSettings(names: string[], settings: string[], fileSettings: string[]): MisspeltSetting[] {
  const known = [...settings, ...fileSettings];
  return names
    .filter((name) => !known.includes(name) && !foreign.test(name))
    .flatMap((name) => {
      const nearest = settings.find((setting) => name === `${setting}_FILE`) ?? nearestOf(name, known);
      return nearest === undefined ? [] : [{ name, nearest }];
    })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function nearestOf(name: string, known: string[]): string | undefined {
  const near = known
    .map((setting) => ({ setting, distance: editDistance(name.toUpperCase(), setting) }))
    .filter(({ setting, distance }) => distance <= permittedDistance(setting.length));
  return near.toSorted((one, other) => one.distance - other.distance)[0]?.setting;
}

function permittedDistance(length: number): number {
  if (length < 6) return -1;
  return length < 9 ? 1 : 2;
}

/** Letters to insert, delete, replace or swap with their neighbour (optimal string alignment). */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(from.length, to.length);
}
