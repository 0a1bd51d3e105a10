export interface ClientOptions {
  service: "email" | "sns" | "sqs";
  region: string;
  /** Where the simulator listens, or an Amazon endpoint of the operator's choice. */
  endpoint: string | undefined;
  timeouts: Timeouts;
}

export interface Timeouts {
  connectMs: number;
  requestMs: number;
  idleMs: number;
}

/** More than the 400 hand-overs a worker has under way: one that waits for a socket here would use up its lease. */
const maxSockets = 512;

/**
 * What the environment or an AWS profile could change in silence is set here: where requests go, and how often. One call
 * is one request, because a repeated SendEmail is a second mail and a repeated control call is over the budget.
 */
export function clientSettings({ service, region, endpoint, timeouts }: ClientOptions) {
  // Closed by us before Amazon does it: a connection that closes while we write to it leaves a send in doubt.
  const agent = { keepAlive: true, maxSockets, timeout: timeouts.idleMs };
  return {
    region,
    endpoint: endpoint ?? amazonEndpoint(service, region),
    // The SDK refuses these two next to an endpoint; whoever needs one of them names its address.
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    maxAttempts: 1,
    retryMode: "standard",
    requestHandler: {
      connectionTimeout: timeouts.connectMs,
      requestTimeout: timeouts.requestMs,
      // Without it the SDK only logs a warning and goes on waiting.
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  };
}

function amazonEndpoint(service: string, region: string): string {
  return `https://${service}.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}
