/** A comment on a line of its own. To production it is nothing; `arm.ts` can make it a call. */
const comment = /^(?<indent>[ \t]*)\/\/ crash point: (?<name>[a-z-]+)$/gm;

export function findCrashPoints(source: string): string[] {
  return [...source.matchAll(comment)].map(({ groups }) => groups?.name ?? "");
}

/** The source with this one point as a call; every line stays where it is. */
export function armSource(source: string, armed: string): string {
  return source.replace(comment, (line, indent: string, name: string) =>
    name === armed ? `${indent}globalThis.passCrashPoint();` : line,
  );
}
