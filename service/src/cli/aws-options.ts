import type { readDoctorConfig } from "../config.ts";
import { sesPauseMs } from "../provider/ses/setup/call-rate-limit.ts";
import type { SetUpCheckOptions } from "../provider/ses/setup/set-up-check-context.ts";

export function setUpCheckOptions(config: ReturnType<typeof readDoctorConfig>): SetUpCheckOptions {
  const { cellCode, provider, feedbackTopicArn: topicArn, feedbackQueueUrl: queueUrl } = config;
  const { region, endpoints } = provider;
  const [hasSesTenants, pauseMs] = [hasTenants(provider), pauseFor(provider)];
  return { cellCode, region, endpoints, topicArn, queueUrl, hasTenants: hasSesTenants, pauseMs };
}

export function pauseFor({ kind }: { kind: "ses" | "simulator" }): number {
  return kind === "ses" ? sesPauseMs : 0;
}

export function hasTenants({ tenants }: { tenants: "off" | "prepare" | "on" }): boolean {
  return tenants !== "off";
}
