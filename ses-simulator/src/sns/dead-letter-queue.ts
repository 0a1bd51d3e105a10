import type { Simulation } from "../simulation.ts";
import type { Subscription } from "./topic.ts";

/** SNS discards the message if the subscription has no RedrivePolicy. */
export function sendToDeadLetterQueue(simulation: Simulation, subscription: Subscription, body: string): void {
  const queue = simulation.queues.findByArn(deadLetterTarget(subscription) ?? "");
  if (queue === undefined)
    simulation.counters.set("sns-discarded", (simulation.counters.get("sns-discarded") ?? 0) + 1);
  else simulation.queues.add(queue.name, body);
}

function deadLetterTarget(subscription: Subscription): string | undefined {
  const policy = subscription.attributes.RedrivePolicy;
  if (policy === undefined || policy === "") return undefined;
  const { deadLetterTargetArn }: { deadLetterTargetArn?: string } = JSON.parse(policy);
  return deadLetterTargetArn;
}
