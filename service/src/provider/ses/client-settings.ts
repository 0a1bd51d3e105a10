import { credentialDefaultProvider } from "./credential-source.ts";
import { promptAgents } from "./prompt-agents.ts";

export interface ClientOptions {
  service: "email" | "sns" | "sqs";
  region: string;
  /** The simulator's address, or an Amazon endpoint that the operator chooses. */
  endpoint: string | undefined;
  timeouts: Timeouts;
}

export interface Timeouts {
  connectMs: number;
  requestMs: number;
  idleMs: number;
}

/**
 * More than the 400 concurrent submissions of a worker: a submission that waits for a socket would use up its lease.
 */
const maxSockets = 512;

/**
 * Sets the endpoint and the number of attempts explicitly, so that neither the environment nor an AWS profile changes
 * them. One call is one request: a repeated SendEmail is a second mail, and a repeated control call has no control-call
 * token.
 */
export function clientSettings({ service, region, endpoint, timeouts }: ClientOptions) {
  // We close idle connections before Amazon does: one that Amazon closes while we write to it leaves a send in doubt.
  const agent = { keepAlive: true, maxSockets, timeout: timeouts.idleMs };
  return {
    region,
    endpoint: endpoint ?? amazonEndpoint(service, region),
    credentialDefaultProvider,
    // The SDK rejects these two together with an endpoint. An operator who needs one sets the endpoint to its address.
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    maxAttempts: 1,
    retryMode: "standard",
    requestHandler: {
      connectionTimeout: timeouts.connectMs,
      requestTimeout: timeouts.requestMs,
      // Without it the SDK only logs a warning and keeps waiting.
      throwOnRequestTimeout: true,
      ...promptAgents(agent),
    },
  };
}

export function amazonEndpoint(service: string, region: string): string {
  return `https://${service}.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}
