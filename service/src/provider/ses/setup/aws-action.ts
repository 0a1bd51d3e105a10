import { ProviderError } from "../../email-provider.ts";

/** A failed call together with the IAM action that it needs, so that the CLI can name a missing permission. */
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

export async function withActionName<Outcome>(action: string, run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof ProviderError ? new AwsActionError(action, error) : error;
  }
}

/** AWS rejects the credentials themselves, as opposed to one action. */
export function hasInvalidCredentials({ reason }: AwsActionError): boolean {
  return reason.kind === "denied" && !/^(AccessDenied|AuthorizationError|NotAuthorized)/.test(reason.message);
}
