import { AppError } from "../../../errors.ts";
import type { Mode } from "../../../mode.ts";
import { sandboxDomain } from "../../../provider/sandbox/scenarios.ts";

/** Live mail from the sandbox is the usual mistake of a first send, so its answer names the remedy. */
export function domainNotVerified(domain: string, mode: Mode): AppError {
  const isLiveSandbox = domain === sandboxDomain && mode === "live";
  return new AppError("DOMAIN_NOT_VERIFIED", isLiveSandbox ? liveMailFromSandbox : notVerified(domain));
}

const liveMailFromSandbox =
  `${sandboxDomain} is for test mail only, and this is a live send. Use a test API key (with a JWT: ?mode=test), or send from a domain ` +
  "that is verified in this account.";

function notVerified(domain: string): string {
  return (
    `The domain ${domain} is not verified in this account. Register it at POST /api/v1/domains if it is not registered yet; ` +
    "GET /api/v1/domains/{id} then shows which DNS records are missing."
  );
}
