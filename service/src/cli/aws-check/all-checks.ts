import { checkClock } from "../../provider/ses/check/check-clock.ts";
import { checkIdentity } from "../../provider/ses/check/check-identity.ts";
import { checkMailEvents, type MailCheckOptions, type MailRecord } from "../../provider/ses/check/check-mail-events.ts";
import { checkPermissions } from "../../provider/ses/check/check-permissions.ts";
import { amazonEndpoint } from "../../provider/ses/client-settings.ts";
import { AwsActionError, hasInvalidCredentials } from "../../provider/ses/setup/aws-action.ts";
import { checkSetUp, withFailure } from "../../provider/ses/setup/check-set-up.ts";
import { type Finding, note } from "../../provider/ses/setup/finding.ts";
import {
  createSetUpCheckContext,
  type SetUpCheckContext,
  type SetUpCheckOptions,
} from "../../provider/ses/setup/set-up-check-context.ts";
import { checkDns } from "./check-dns.ts";

export interface CheckOptions extends Omit<MailCheckOptions, "topicArn"> {
  setUp: SetUpCheckOptions;
  dnsServers: string[];
}

/** With one of these problems SES accepts no mail, or no event can arrive. */
const blockingChecks = new Set([
  "account.quota",
  "account.sending",
  "configuration-set",
  "configuration-set.sending",
  "events",
  "topic",
  "topic.policy",
  "topic.encryption",
  "identity",
  "identity.verified",
]);

/** Everything that Postern needs of AWS and DNS. Stops early when AWS rejects the credentials or the operator interrupts it. */
export async function* allChecks(options: CheckOptions): AsyncGenerator<Finding, MailRecord[]> {
  const { setUp } = options;
  const context = createSetUpCheckContext(setUp);
  let isBlocked = false;
  for await (const finding of checksWithoutMail(options, context)) {
    yield finding;
    if (options.signal.aborted || isCredentialProblem(finding)) return [];
    isBlocked ||= finding.state === "problem" && blockingChecks.has(finding.check);
  }
  if (isBlocked || setUp.topicArn === undefined) {
    const what = "no mail was sent, because a problem above would stop it or its events";
    yield note("mails", what, "fix the problems, then run the check again");
    return [];
  }
  return yield* checkMailEvents(context, { ...options, topicArn: setUp.topicArn });
}

async function* checksWithoutMail(options: CheckOptions, context: SetUpCheckContext): AsyncGenerator<Finding> {
  const { setUp, from, dnsServers } = options;
  const domainName = from.split("@").at(-1) ?? "";
  yield* await checkClock(setUp.endpoints.ses ?? amazonEndpoint("email", setUp.region));
  yield* checkSetUp(setUp, context);
  const identity = await findIdentity(context, domainName);
  yield* identity.findings;
  if (identity.identity === undefined) return;
  yield* await checkDns({ servers: dnsServers, region: setUp.region }, identity.identity);
  yield* await checkPermissions(context, domainName);
}

async function findIdentity(context: SetUpCheckContext, domainName: string) {
  let checked: Awaited<ReturnType<typeof checkIdentity>> | undefined;
  const findings = await withFailure("the identity of the sender", async () => {
    checked = await checkIdentity(context, domainName);
    return checked.findings;
  });
  return { findings, identity: checked?.identity };
}

function isCredentialProblem({ advice }: Finding): boolean {
  return advice instanceof AwsActionError && hasInvalidCredentials(advice);
}
