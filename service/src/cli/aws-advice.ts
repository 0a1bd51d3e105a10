import { type AwsActionError, hasInvalidCredentials } from "../provider/ses/setup/aws-action.ts";
import type { Finding } from "../provider/ses/setup/finding.ts";

const marks = { ok: "✓", note: "!", problem: "✗" };

export function findingText(finding: Finding): string {
  const { fix, aws } = fixOf(finding);
  const lines = [`${marks[finding.state]} ${finding.what}`];
  if (fix !== undefined) lines.push(`  → ${fix}`);
  if (aws !== undefined) lines.push(`  AWS: ${aws}`);
  return lines.join("\n");
}

/** What to do about a finding, and the words of AWS when a call failed. */
export function fixOf({ advice }: Finding): { fix?: string; aws?: string } {
  if (advice === undefined) return {};
  return typeof advice === "string" ? { fix: advice } : { fix: adviceFor(advice), aws: advice.message };
}

/** By the beginning of what AWS says. The first that matches counts. */
const credentialAdvice: [pattern: RegExp, advice: string][] = [
  [
    /^(RequestTimeTooSkewed|RequestExpired)|signature (expired|not yet current)/i,
    "AWS refuses the time of the request: correct the clock of this machine with NTP (`timedatectl set-ntp true`)",
  ],
  [/^ExpiredToken/, "The temporary AWS credentials have expired: get new ones, or let a role provide them"],
  [
    /^(UnrecognizedClientException|InvalidClientTokenId)/,
    "AWS does not know the access key: check AWS_ACCESS_KEY_ID, and AWS_SESSION_TOKEN of temporary credentials",
  ],
  [/^(SignatureDoesNotMatch|InvalidSignatureException)/, "AWS rejects the signature: check AWS_SECRET_ACCESS_KEY"],
  [
    /^OptInRequired/,
    "The AWS account is not activated for this service in this region: activate it, or check AWS_REGION",
  ],
];

const noCredentials =
  "There are no valid AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and check the clock";

export function adviceFor(error: AwsActionError): string {
  const { action, reason } = error;
  switch (reason.kind) {
    case "denied":
      return hasInvalidCredentials(error)
        ? (credentialAdvice.find(([pattern]) => pattern.test(reason.message))?.[1] ?? noCredentials)
        : `The AWS credentials lack the permission ${action}: grant it`;
    case "throttled":
      return `AWS throttles ${action}: wait a minute`;
    case "unavailable":
      return `AWS did not answer ${action}: check AWS_REGION and the network`;
    case "limit-reached":
      return `The AWS account has reached a limit (${action}): delete unused resources or ask AWS for a higher limit`;
    case "invalid":
      return `AWS rejects ${action}: correct what its message below names`;
  }
}
