import { randomUUID } from "node:crypto";
import { amountText } from "../../../plain-text.ts";
import { tenantNameOf } from "../../cell-names.ts";
import { createSqsQueue } from "../feedback/sqs-queue.ts";
import { createSesProvider } from "../ses-provider.ts";
import { AwsActionError, withActionName } from "../setup/aws-action.ts";
import { type Finding, ok } from "../setup/finding.ts";
import { glanceAtQueue } from "../setup/queue-calls.ts";
import type { SetUpCheckContext } from "../setup/set-up-check-context.ts";
import { confirmSubscription } from "../setup/topic-calls.ts";

interface Probe {
  action: string;
  call(): Promise<unknown>;
}

/**
 * Tries each action of the running service in a way that changes nothing: on a resource that does not exist, or to create one that does.
 * AWS checks the permission first, so any answer but a denial proves it. Sent mails prove ses:SendEmail, and the other checks the rest.
 */
export async function checkPermissions(context: SetUpCheckContext, domainName: string): Promise<Finding[]> {
  const probes = [...sesProbes(context, domainName), ...tenantProbes(context), ...feedbackProbes(context)];
  const denied: Finding[] = [];
  for (const { action, call } of probes) {
    const refusal = await findRefusal(action, call);
    if (refusal !== undefined) denied.push(refusal);
  }
  if (denied.length > 0) return denied;
  return [ok("permissions", `the credentials have ${amountText(probes.length, "further permission")} of the service`)];
}

async function findRefusal(action: string, call: () => Promise<unknown>): Promise<Finding | undefined> {
  try {
    await withActionName(action, call);
    return undefined;
  } catch (error) {
    if (!(error instanceof AwsActionError)) throw error;
    const { kind } = error.reason;
    if (kind === "invalid" || kind === "limit-reached") return undefined;
    const what = kind === "denied" ? `the service may not call ${action}` : `${action} cannot be tried`;
    return { check: `permission.${action}`, state: "problem", what, advice: error };
  }
}

function sesProbes({ options, setName, rateLimited }: SetUpCheckContext, domainName: string): Probe[] {
  const provider = createSesProvider({
    region: options.region,
    endpoint: options.endpoints.ses,
    accountId: "",
    partition: "",
  });
  const absent = `${randomUUID()}.postern-check.invalid`;
  return [
    { action: "ses:ListEmailIdentities", call: () => rateLimited(() => provider.listIdentities()) },
    { action: "ses:CreateEmailIdentity", call: () => rateLimited(() => provider.createIdentity(domainName, setName)) },
    { action: "ses:DeleteEmailIdentity", call: () => rateLimited(() => provider.removeIdentity(absent)) },
    {
      action: "ses:PutEmailIdentityMailFromAttributes",
      call: () => rateLimited(() => provider.setMailFrom(absent, `bounce.${absent}`)),
    },
    {
      action: "ses:DeleteSuppressedDestination",
      call: () =>
        rateLimited(() => provider.removeSuppressedAddress(`success+${randomUUID()}@simulator.amazonses.com`)),
    },
  ];
}

/** ses:CreateTenant cannot be tried without creating one. */
function tenantProbes({ options, rateLimited }: SetUpCheckContext): Probe[] {
  if (options.hasTenants !== true || options.topicArn === undefined) return [];
  const [, partition = "", , , accountId = ""] = options.topicArn.split(":");
  const { region, endpoints } = options;
  const provider = createSesProvider({ region, endpoint: endpoints.ses, accountId, partition });
  const absent = { tenant: tenantNameOf(options.cellCode, "check"), domain: "postern-check.invalid" };
  return [
    {
      action: "ses:CreateTenantResourceAssociation",
      call: () => rateLimited(() => provider.addIdentityToTenant(absent.tenant, absent.domain)),
    },
    {
      action: "ses:DeleteTenantResourceAssociation",
      call: () => rateLimited(() => provider.removeIdentityFromTenant(absent.tenant, absent.domain)),
    },
  ];
}

/** The queue of the cell, or without a queue the push subscription. */
function feedbackProbes({ options, queues, topics, hasTopic }: SetUpCheckContext): Probe[] {
  const { region, endpoints, queueUrl, topicArn } = options;
  if (queueUrl === undefined) {
    if (topicArn === undefined || !hasTopic) return [];
    return [{ action: "sns:ConfirmSubscription", call: () => confirmSubscription(topics, topicArn, "postern-check") }];
  }
  const queue = createSqsQueue({ region, endpoint: endpoints.sqs, queueUrl, topicArns: [] });
  return [
    { action: "sqs:ReceiveMessage", call: () => glanceAtQueue(queues, queueUrl) },
    { action: "sqs:DeleteMessage", call: () => queue.delete(["postern-check"]) },
  ];
}
