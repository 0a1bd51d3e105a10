/** A comment on a line of its own. It does nothing in production; `arm.ts` turns it into a call. */
const comment = /^(?<indent>[ \t]*)\/\/ crash point: (?<name>[a-z-]+)$/gm;

export function findCrashPoints(source: string): string[] {
  return [...source.matchAll(comment)].map(({ groups }) => groups?.name ?? "");
}

/** Replaces this crash point by a call; all line numbers stay the same. */
export function armSource(source: string, armed: string): string {
  return source.replace(comment, (line, indent: string, name: string) =>
    name === armed ? `${indent}globalThis.passCrashPoint();` : line,
  );
}
