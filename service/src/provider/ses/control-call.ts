import { readFault } from "./aws-fault.ts";
import { toProviderError } from "./identities/classify-control-error.ts";

type Call<Answer> = (options: { abortSignal: AbortSignal }) => Promise<Answer>;

/** Makes one control call within the deadline. Errors listed in `instead` are answers; all others become ours. */
export type Ask = <Answer, Instead = never>(
  call: Call<Answer>,
  instead?: Record<string, Instead>,
) => Promise<Answer | Instead>;

export function createAsk(timeoutMs: number): Ask {
  return async <Answer, Instead>(call: Call<Answer>, instead: Record<string, Instead> = {}) => {
    try {
      return await call({ abortSignal: AbortSignal.timeout(timeoutMs) });
    } catch (error) {
      const { name } = readFault(error);
      // What an own member holds may be undefined, and that is an answer too.
      if (Object.hasOwn(instead, name)) return instead[name] as Instead;
      throw toProviderError(error);
    }
  };
}
