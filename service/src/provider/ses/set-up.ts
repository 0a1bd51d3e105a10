import { setTimeout as sleep } from "node:timers/promises";
import { configurationSetNameOf, topicNameOf } from "../cell-names.ts";
import { type EmailProvider, ProviderError } from "../email-provider.ts";
import { createSesProvider } from "./ses-provider.ts";
import { allowPublishing, createTopic, signWithSha256, type TopicCalls, topicCalls } from "./topic-calls.ts";

export interface SetUpOptions {
  cellCode: string;
  region: string;
  endpoints: { ses: string | undefined; sns: string | undefined };
}

export interface SetUpStep {
  what: string;
  /** What the credentials must be allowed to do. */
  action: string;
}

export type DoneStep = SetUpStep & { outcome: "done" | "created" | "exists" };

/** SES allows one request a second besides sends. */
const pauseMs = 1_000;
const maxTries = 5;

export function plannedSteps(cellCode: string): SetUpStep[] {
  return stepsFor(cellCode).map(({ what, action }) => ({ what, action }));
}

/** Yields each step when it is done and returns the topic. Every step may be repeated, so a broken run is run again. */
export async function* setUp(options: SetUpOptions): AsyncGenerator<DoneStep, string> {
  const scene: Scene = { options, topics: topicCalls(options.region, options.endpoints.sns), topicArn: "" };
  let hasAskedSes = false;
  for (const { what, action, run } of stepsFor(options.cellCode)) {
    if (hasAskedSes) await sleep(pauseMs);
    hasAskedSes = action.startsWith("ses:");
    try {
      yield { what, action, outcome: await untilLetThrough(() => run(scene)) };
    } catch (error) {
      throw error instanceof ProviderError ? new SetUpError(action, error) : error;
    }
  }
  return scene.topicArn;
}

/** Which of the steps failed, so that the missing permission can be named. */
export class SetUpError extends Error {
  override readonly name = "SetUpError";
  readonly action: string;
  readonly reason: ProviderError;

  constructor(action: string, reason: ProviderError) {
    super(reason.message, { cause: reason });
    this.action = action;
    this.reason = reason;
  }
}

interface Scene {
  options: SetUpOptions;
  topics: TopicCalls;
  /** Known after the first step. */
  topicArn: string;
}

interface Step extends SetUpStep {
  run(scene: Scene): Promise<DoneStep["outcome"]>;
}

function stepsFor(cellCode: string): Step[] {
  const [topic, set] = [topicNameOf(cellCode), configurationSetNameOf(cellCode)];
  return [
    {
      what: `SNS topic ${topic}`,
      action: "sns:CreateTopic",
      async run(scene) {
        scene.topicArn = await createTopic(scene.topics, topic);
        return "done";
      },
    },
    {
      what: "its messages are signed with SHA-256 (SignatureVersion 2)",
      action: "sns:SetTopicAttributes",
      run: ({ topics, topicArn }) => signWithSha256(topics, topicArn),
    },
    {
      what: `only SES may publish to it, for configuration set ${set}`,
      action: "sns:SetTopicAttributes",
      run: ({ topics, topicArn }) => allowPublishing(topics, topicArn, set),
    },
    {
      what: `SES configuration set ${set}, without SES's own suppression list`,
      action: "ses:CreateConfigurationSet",
      run: (scene) => providerOf(scene).createConfigurationSet(set),
    },
    {
      what: "its events go to the topic",
      action: "ses:CreateConfigurationSetEventDestination",
      run: (scene) => providerOf(scene).createEventDestination(set, scene.topicArn),
    },
  ];
}

function providerOf({ options: { region, endpoints }, topicArn }: Scene): EmailProvider {
  const [, partition = "", , , accountId = ""] = topicArn.split(":");
  return createSesProvider({ region, endpoint: endpoints.ses, accountId, partition });
}

/** A running Postern shares the budget of control requests with this command. */
async function untilLetThrough<Outcome>(run: () => Promise<Outcome>, tries = 1): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ProviderError && error.kind === "throttled") || tries === maxTries) throw error;
    await sleep(pauseMs);
    return untilLetThrough(run, tries + 1);
  }
}
