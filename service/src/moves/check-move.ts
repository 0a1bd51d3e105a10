import { AppError } from "../errors.ts";
import type { SecretPair } from "../secret.ts";
import type { MovingCell } from "./moving-cell.ts";

/** Throws with all reasons why no account can move between the two cells with these settings. */
export function requireMatchingCells(source: MovingCell, target: MovingCell): void {
  const problems = [
    ...problemOfCodes(source, target),
    ...problemOfAws(source, target),
    ...problemOfRetention(source, target),
    ...problemOfPeppers(source.apiKeyPepper, target.apiKeyPepper),
  ];
  if (problems.length === 0) return;
  const list = problems.map((problem) => `  - ${problem}`).join("\n");
  throw new AppError("CONFLICT", `The account cannot move yet:\n${list}\nNothing was changed.`);
}

function problemOfCodes(source: MovingCell, target: MovingCell): string[] {
  return source.code === target.code
    ? [`Both cells have the code ${source.code}. FILE must have the settings of the other cell.`]
    : [];
}

/** SES has one identity for a domain in an account and region: the source would delete that of the target. */
function problemOfAws({ aws: from }: MovingCell, { aws: to }: MovingCell): string[] {
  if (from === undefined || to === undefined) {
    return ["A cell has no AWS_FEEDBACK_TOPIC_ARN. Run `postern aws setup` with its settings."];
  }
  return from.account === to.account && from.region === to.region
    ? [`Both cells use the AWS account ${from.account} in ${from.region}.`]
    : [];
}

function problemOfRetention(source: MovingCell, target: MovingCell): string[] {
  const isShorter = (target.recordRetentionDays ?? Infinity) < (source.recordRetentionDays ?? Infinity);
  return isShorter ? ["RECORD_RETENTION_DAYS of the target is shorter: it would drop records of the account."] : [];
}

/** The hash of a key can only be made from the key. The target therefore needs the pepper with which it was made. */
function problemOfPeppers(source: SecretPair, target: SecretPair): string[] {
  const missing = [source.current, source.second].flatMap((pepper) =>
    pepper !== undefined && nameOfPepper(pepper.key, target) === undefined ? [pepper.id] : [],
  );
  return missing.map(
    (id) =>
      `The target lacks the pepper "${id}" of the source. Set it there as API_KEY_PEPPER_SECOND and restart its APIs.`,
  );
}

/** For each pepper of the source, the name that it has in the target. */
export function pepperNames(source: SecretPair, target: SecretPair): Map<string, string> {
  return new Map(
    [source.current, source.second].flatMap((pepper) => {
      const name = pepper === undefined ? undefined : nameOfPepper(pepper.key, target);
      return pepper === undefined || name === undefined ? [] : [[pepper.id, name] as const];
    }),
  );
}

function nameOfPepper(key: SecretPair["current"]["key"], { current, second }: SecretPair): string | undefined {
  return [current, second].find((candidate) => candidate?.key.equals(key))?.id;
}
