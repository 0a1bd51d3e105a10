import { ProviderError } from "../../email-provider.ts";

/** A failed call with the name of its permission, so that a missing one can be told. */
export class AwsActionError extends Error {
  override readonly name = "AwsActionError";
  readonly action: string;
  readonly reason: ProviderError;

  constructor(action: string, reason: ProviderError) {
    super(reason.message, { cause: reason });
    this.action = action;
    this.reason = reason;
  }
}

export async function naming<Outcome>(action: string, run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof ProviderError ? new AwsActionError(action, error) : error;
  }
}
