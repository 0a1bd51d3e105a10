import type { DevSettings } from "./state-folder.ts";

const region = "eu-central-1";
/** The simulator requires signed requests and accepts any credentials. */
const credentials = { AWS_ACCESS_KEY_ID: "simulator", AWS_SECRET_ACCESS_KEY: "simulator" };

interface Addresses {
  databaseUrl: string;
  simulatorUrl: string;
  dnsAddress: string;
  apiPort: number;
}

/** The settings that a .env file would hold; the service does not know that it runs for `postern dev`. */
export function cellEnvironment({ secrets }: DevSettings, addresses: Addresses): Record<string, string> {
  const { databaseUrl, simulatorUrl, dnsAddress, apiPort } = addresses;
  return {
    ...secrets,
    ...credentials,
    DATABASE_URL: databaseUrl,
    PORT: `${apiPort}`,
    PUBLIC_URL: `http://127.0.0.1:${apiPort}`,
    OPERATIONS_PORT: "0",
    DRAIN_SECONDS: "0",
    DNS_SERVERS: dnsAddress,
    WEBHOOK_PORTS: "any",
    POSTERN_PROVIDER: "simulator",
    AWS_REGION: region,
    AWS_ENDPOINT_URL_SESV2: simulatorUrl,
    AWS_ENDPOINT_URL_SNS: simulatorUrl,
    AWS_ENDPOINT_URL_SQS: simulatorUrl,
  };
}

export const simulatorRegion = region;
