import { ProviderError } from "../email-provider.ts";
import { type AwsFault, isDenial, isNamedRefusal, isThrottle, readFault } from "./aws-fault.ts";

/** For every call except SendEmail. All of these calls are safe to repeat, so an unclear error is `unavailable`. */
export function toProviderError(error: unknown): ProviderError {
  const fault = readFault(error);
  return new ProviderError(kindOf(fault), `${fault.name}: ${fault.message}`, error, fault.notSent === undefined);
}

function kindOf(fault: AwsFault): ProviderError["kind"] {
  if (isThrottle(fault)) return "throttled";
  if (isDenial(fault) || fault.name === "AccountSuspendedException") return "denied";
  if (!isNamedRefusal(fault)) return "unavailable";
  return fault.name === "LimitExceededException" ? "limit-reached" : "invalid";
}
