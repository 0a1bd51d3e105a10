import type { OperatorStatus } from "../operator-queries.ts";
import { formatSeconds } from "../seconds.ts";

export interface HoldLine {
  key: string;
  title: string;
  text: string;
}

const reasons: Record<string, string> = {
  quota: "The daily quota of SES is used up.",
  paused: "SES has paused sending for the AWS account or the configuration set.",
  suspended: "SES has suspended the AWS account.",
  operator: "SES refuses the credentials, the permissions or the configuration set.",
};

/** Everything that holds mail of the whole installation. Holds of single accounts are in the list of accounts. */
export function holdLines({ mail }: OperatorStatus): HoldLine[] {
  return mail.flatMap(({ mode, hold, operator_hold, feedback }) => [
    ...(operator_hold === null
      ? []
      : [
          {
            key: `${mode}-operator`,
            title: `An operator holds all ${mode} mail, for ${formatSeconds(operator_hold.held_seconds)}.`,
            text: operator_hold.note ?? "No reason was given.",
          },
        ]),
    ...(hold === null
      ? []
      : [
          {
            key: `${mode}-ses`,
            title: `SES holds all ${mode} mail, for ${formatSeconds(hold.held_seconds)}.`,
            text: `${reasons[hold.reason] ?? `The reason is ${hold.reason}.`} A worker tries one send in ${formatSeconds(hold.next_try_seconds)}.`,
          },
        ]),
    ...(feedback.gap === null
      ? []
      : [
          {
            key: `${mode}-feedback`,
            title:
              feedback.gap === "no-reports"
                ? "SES reports nothing about submitted mail."
                : "No worker reads the reports of SES.",
            text: "Mail goes out, and its outcome stays unknown. Sends in doubt wait for an hour.",
          },
        ]),
  ]);
}
