import styles from "./character-diff.module.css";
import { compareCharacters, type Run } from "./compare-characters.ts";

/** The expected value above the found one, with the differing characters marked. */
export function CharacterDiff({ expected, found }: { expected: string; found: string }) {
  const difference = compareCharacters(expected, found);
  return (
    <dl className={styles.diff}>
      <dt>expected</dt>
      <dd>
        <Runs runs={difference.expected} kind="good" />
      </dd>
      <dt>found</dt>
      <dd>
        <Runs runs={difference.found} kind="bad" />
      </dd>
    </dl>
  );
}

function Runs({ runs, kind }: { runs: Run[]; kind: "good" | "bad" }) {
  let position = 0;
  return runs.map((run) => {
    position += run.text.length;
    return run.isDifferent ? (
      <mark key={position} data-kind={kind}>
        {run.text}
      </mark>
    ) : (
      <span key={position}>{run.text}</span>
    );
  });
}
