import { readFault } from "./aws-fault.ts";
import { toProviderError } from "./to-provider-error.ts";
import { withinDeadline } from "./within-deadline.ts";

type SendRequest<Answer> = (options: { abortSignal: AbortSignal }) => Promise<Answer>;

/**
 * Makes one request to AWS that is no submission, with a deadline. An error named in `expectedErrors` becomes the value
 * given there; every other error becomes a `ProviderError`.
 */
export type ControlCall = <Answer, Expected = never>(
  send: SendRequest<Answer>,
  expectedErrors?: Record<string, Expected>,
) => Promise<Answer | Expected>;

export function createControlCall(timeoutMs: number): ControlCall {
  return async <Answer, Expected>(send: SendRequest<Answer>, expectedErrors: Record<string, Expected> = {}) => {
    try {
      return await withinDeadline(send, AbortSignal.timeout(timeoutMs));
    } catch (error) {
      const { name } = readFault(error);
      // The value of an expected error may be undefined, so the cast replaces a check for undefined.
      if (Object.hasOwn(expectedErrors, name)) return expectedErrors[name] as Expected;
      throw toProviderError(error);
    }
  };
}
