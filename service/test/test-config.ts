import { randomBytes } from "node:crypto";
import { type Config, type Environment, readConfig } from "../src/config.ts";

export function aSecret(id = "k1"): string {
  return `${id}:${randomBytes(32).toString("base64url")}`;
}

/** A database is bound to its content key, so all processes of one test file share the key. */
const contentKey = aSecret();

/** The environment of a process under test: the simulator as provider, new secrets, ports chosen by the kernel. */
export function anEnvironment(overrides: Environment = {}): Environment {
  return {
    DATABASE_URL: "postgres://nobody@127.0.0.1:1/nothing",
    PORT: "0",
    OPERATIONS_PORT: "0",
    // No proxy has to notice that a process of a test stops.
    DRAIN_SECONDS: "0",
    PUBLIC_URL: "http://postern.test",
    LOG_LEVEL: "silent",
    // Nothing listens there: no test reaches the internet.
    DNS_SERVERS: "127.0.0.1:1",
    POSTERN_PROVIDER: "simulator",
    AWS_REGION: "eu-central-1",
    AWS_ENDPOINT_URL_SESV2: "http://127.0.0.1:4579",
    AWS_ENDPOINT_URL_SNS: "http://127.0.0.1:4579",
    AWS_ENDPOINT_URL_SQS: "http://127.0.0.1:4579",
    API_KEY_PEPPER: aSecret(),
    CONTENT_KEY: contentKey,
    TOKEN_SIGNING_KEY: aSecret(),
    ...overrides,
  };
}

/** The settings with which a process uses this simulator, as `postern aws setup` writes them. */
export function simulatorSettings({ url, region }: { url: string; region: string }): Environment {
  return {
    AWS_REGION: region,
    AWS_ENDPOINT_URL_SESV2: url,
    AWS_ENDPOINT_URL_SNS: url,
    AWS_ENDPOINT_URL_SQS: url,
    AWS_ACCESS_KEY_ID: "simulator",
    AWS_SECRET_ACCESS_KEY: "simulator",
    AWS_FEEDBACK_TOPIC_ARN: `arn:aws:sns:${region}:000000000000:postern-AA`,
  };
}

export function aConfig(overrides: Environment = {}): Config {
  return readConfig(anEnvironment(overrides));
}
