import { withActionName } from "./aws-action.ts";
import { createSetUpContext, type DoneStep, type SetUpOptions, type SetUpStep } from "./set-up-context.ts";
import { stepsFor } from "./set-up-steps.ts";

export interface SetUpResult {
  topicArn: string;
  queueUrl: string;
}

export function plannedSteps(cellCode: string): SetUpStep[] {
  return stepsFor(cellCode).map(({ what, action }) => ({ what, action }));
}

/**
 * Yields each step after it succeeded. Every step is safe to repeat, so the operator runs an interrupted set-up again.
 */
export async function* setUp(options: SetUpOptions): AsyncGenerator<DoneStep, SetUpResult> {
  const context = createSetUpContext(options);
  for (const { what, action, run } of stepsFor(options.cellCode)) {
    yield { what, action, outcome: await withActionName(action, () => run(context)) };
  }
  return { topicArn: context.topicArn, queueUrl: context.queueUrl };
}
