import { randomBytes } from "node:crypto";
import { checkQueueNameOf } from "../../cell-names.ts";
import { ProviderError } from "../../email-provider.ts";
import { withActionName } from "../setup/aws-action.ts";
import { type Finding, note } from "../setup/finding.ts";
import { createTemporaryQueue, deleteQueue, findQueueUrl } from "../setup/queue-calls.ts";
import type { SetUpCheckContext } from "../setup/set-up-check-context.ts";
import { listSubscriptions, subscribeQueue, unsubscribe } from "../setup/topic-calls.ts";

/** A queue of a run that ended without removing it is removed by a later run, never while it could still be in use. */
const abandonedMs = 3_600_000;

export interface TemporaryQueue {
  /** Creates the queue and subscribes it to the topic. Returns its URL. */
  open(): Promise<string>;
  /** Ends the subscription and deletes the queue, whatever `open` reached. Returns a finding if that fails. */
  remove(): Promise<Finding[]>;
}

/**
 * A second queue behind the topic of the cell. The check reads its events there: a consumer of the queue of the cell would take messages
 * from the workers.
 */
export function createCheckQueue(context: SetUpCheckContext, topicArn: string): TemporaryQueue {
  const { options, queues, topics } = context;
  const name = checkQueueNameOf(options.cellCode, newRunName(new Date()));
  let queueUrl: string | undefined;
  let subscriptionArn: string | undefined;
  return {
    async open() {
      const queueArn = `${queueArnPrefix(topicArn)}${name}`;
      queueUrl = await withActionName("sqs:CreateQueue", () =>
        createTemporaryQueue(queues, { queue: queueArn, topic: topicArn }),
      );
      subscriptionArn = await withActionName("sns:Subscribe", () => subscribeQueue(topics, topicArn, queueArn));
      return queueUrl;
    },
    async remove() {
      const [arn, url] = [subscriptionArn, queueUrl];
      return [
        ...(arn === undefined ? [] : await tryToRemove(`the subscription ${arn}`, () => unsubscribe(topics, arn))),
        ...(url === undefined ? [] : await tryToRemove(`the queue ${name}`, () => deleteQueue(queues, url))),
      ];
    },
  };
}

/** Removes the queues of earlier runs that were killed. Their names have the time. */
export async function removeAbandonedQueues(context: SetUpCheckContext, topicArn: string): Promise<Finding[]> {
  const { options, queues, topics } = context;
  const prefix = `${queueArnPrefix(topicArn)}${checkQueueNameOf(options.cellCode, "")}`;
  const listed = await withActionName("sns:ListSubscriptionsByTopic", () => listSubscriptions(topics, topicArn));
  const findings: Finding[] = [];
  for (const { arn, endpoint } of listed) {
    if (arn === undefined || !endpoint.startsWith(prefix) || !isAbandoned(endpoint.slice(prefix.length))) continue;
    const name = endpoint.split(":").at(-1) ?? "";
    const removed = await tryToRemove(`the queue ${name} of an earlier check`, async () => {
      await unsubscribe(topics, arn);
      const url = await findQueueUrl(queues, name);
      if (url !== undefined) await deleteQueue(queues, url);
    });
    findings.push(...removed);
  }
  return findings;
}

/** Such as 20261118T150233Z-1f2e3d4c. */
function newRunName(now: Date): string {
  return `${now.toISOString().replaceAll(/[-:]|\.\d+/g, "")}-${randomBytes(4).toString("hex")}`;
}

function isAbandoned(runName: string): boolean {
  const [, year, month, day, hour, minute] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)\d\dZ-/.exec(runName) ?? [];
  return Date.now() - Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00Z`) > abandonedMs;
}

/** Topic and queues belong to the same account and region. */
function queueArnPrefix(topicArn: string): string {
  const [, partition, , region, accountId] = topicArn.split(":");
  return `arn:${partition}:sqs:${region}:${accountId}:`;
}

async function tryToRemove(what: string, remove: () => Promise<unknown>): Promise<Finding[]> {
  try {
    await remove();
    return [];
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return [note("check.clean-up", `${what} could not be removed (${error.message})`, "delete it in the AWS console")];
  }
}
