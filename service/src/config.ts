import { readFileSync } from "node:fs";
import { z } from "zod";
import { environmentSchema } from "./environment-schema.ts";
import { ConfigurationError } from "./errors.ts";
import { type Secret, type SecretPair, secret } from "./secret.ts";

export type Environment = Record<string, string | undefined>;

export type Config = ReturnType<typeof readConfig>;

type Key = keyof typeof environmentSchema.shape;

const fileKeys = [
  "DATABASE_URL",
  "DATABASE_DIRECT_URL",
  "API_KEY_PEPPER",
  "API_KEY_PEPPER_SECOND",
  "CONTENT_KEY",
  "CONTENT_KEY_SECOND",
  "TOKEN_SIGNING_KEY",
  "TOKEN_SIGNING_KEY_SECOND",
] as const satisfies Key[];

const endpointKeys = ["AWS_ENDPOINT_URL_SESV2", "AWS_ENDPOINT_URL_SNS", "AWS_ENDPOINT_URL_SQS"] as const;

/** Reads everything a process needs, once, and reports every problem together. */
export function readConfig(env: Environment) {
  const problems: string[] = [];
  const given = withSecretsFromFiles(environmentSchema, env, problems);
  const values = parse(environmentSchema, given, problems);
  problems.push(
    ...providerProblems(given),
    ...topicProblems(given),
    ...queueProblems(given),
    ...rotationProblems(given),
  );
  if (values === undefined || problems.length > 0) throw invalid(problems);
  return {
    ...databasePart(values),
    http: {
      host: values.HOST,
      port: values.PORT,
      publicUrl: values.PUBLIC_URL ?? `http://localhost:${values.PORT}`,
      trustedProxies: values.TRUSTED_PROXIES,
      showReference: values.API_REFERENCE === "on",
    },
    operations: { host: values.OPERATIONS_HOST, port: values.OPERATIONS_PORT },
    cellCode: values.CELL_CODE,
    contentRetentionDays: values.CONTENT_RETENTION_DAYS,
    delivery: {
      slots: values.DELIVERY_SLOTS,
      giveUpAfterSeconds: values.GIVE_UP_AFTER_SECONDS,
      inDoubtSeconds: values.IN_DOUBT_SECONDS,
      inDoubtMaxSeconds: values.IN_DOUBT_MAX_SECONDS,
      inDoubtPolicy: values.IN_DOUBT_POLICY,
    },
    feedback: feedbackPart(values),
    /** None means the resolvers of the system. */
    dnsServers: values.DNS_SERVERS,
    provider: {
      kind: values.POSTERN_PROVIDER,
      region: values.AWS_REGION,
      endpoints: {
        ses: values.AWS_ENDPOINT_URL_SESV2,
        sns: values.AWS_ENDPOINT_URL_SNS,
        sqs: values.AWS_ENDPOINT_URL_SQS,
      },
      feedbackTopicArn: values.AWS_FEEDBACK_TOPIC_ARN?.arn,
      awsAccountId: values.AWS_FEEDBACK_TOPIC_ARN?.accountId,
      partition: values.AWS_FEEDBACK_TOPIC_ARN?.partition,
      feedbackQueueUrl: values.AWS_FEEDBACK_QUEUE_URL,
    },
    secrets: {
      apiKeyPepper: pair(values.API_KEY_PEPPER, values.API_KEY_PEPPER_SECOND),
      contentKey: pair(values.CONTENT_KEY, values.CONTENT_KEY_SECOND),
      tokenSigningKey: pair(values.TOKEN_SIGNING_KEY, values.TOKEN_SIGNING_KEY_SECOND),
    },
  };
}

const databaseKeys = {
  DATABASE_URL: true,
  DATABASE_DIRECT_URL: true,
  DATABASE_POOL_SIZE: true,
  PARTITION_SPAN: true,
  LOG_LEVEL: true,
} as const;

/** What migrations and the admin commands need: they run before, and without, the rest of the configuration. */
export function readDatabaseConfig(env: Environment) {
  return databasePart(readPart(environmentSchema.pick(databaseKeys), env));
}

/** What `postern status` needs: it must answer also where the secrets are not at hand. */
export function readStatusConfig(env: Environment) {
  const keys = { ...databaseKeys, FEEDBACK_GAP_SECONDS: true, AWS_FEEDBACK_QUEUE_URL: true } as const;
  const values = readPart(environmentSchema.pick(keys), env);
  return { ...databasePart(values), feedback: feedbackPart(values) };
}

function readPart<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, env: Environment) {
  const problems: string[] = [];
  const values = parse(schema, withSecretsFromFiles(schema, env, problems), problems);
  if (values === undefined || problems.length > 0) throw invalid(problems);
  return values;
}

/** The process environment, completed by a `.env` file in the working directory where there is one. */
export function loadEnvironment(): Environment {
  try {
    process.loadEnvFile();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  return process.env;
}

function parse<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, given: Environment, problems: string[]) {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    const key = String(issue.path[0]);
    const isReported = given[key] === undefined && given[`${key}_FILE`] !== undefined;
    if (isReported) continue;
    const meaning = schema.shape[key] instanceof z.ZodType ? schema.shape[key].description : undefined;
    problems.push(given[key] === undefined ? `${key} is missing: ${meaning}` : `${key} ${issue.message}`);
  }
  return undefined;
}

function withSecretsFromFiles(schema: z.ZodObject, env: Environment, problems: string[]): Environment {
  // An empty value counts as absent, so that `KEY=` in a .env file means the default.
  const given: Environment = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  for (const key of fileKeys.filter((candidate) => candidate in schema.shape)) {
    const path = given[`${key}_FILE`];
    if (path === undefined) continue;
    if (given[key] !== undefined) problems.push(`${key} and ${key}_FILE are both set; keep one of them`);
    try {
      given[key] = readFileSync(path, "utf8").trimEnd();
    } catch {
      problems.push(`${key}_FILE names a file that cannot be read`);
    }
  }
  return given;
}

type Values = z.infer<typeof environmentSchema>;

/** Mail must not reach a stranger's server by a slip in one variable, nor real people while trying things out. */
function providerProblems(given: Environment): string[] {
  const provider = environmentSchema.shape.POSTERN_PROVIDER.safeParse(given.POSTERN_PROVIDER);
  return endpointKeys.flatMap((key) => {
    const { success, data: endpoint } = environmentSchema.shape[key].safeParse(given[key]);
    if (!provider.success || !success) return [];
    if (provider.data === "simulator") {
      if (endpoint === undefined) return [`${key} is missing: POSTERN_PROVIDER=simulator needs all three endpoints`];
      return isAmazon(endpoint) ? [`${key} names Amazon, but POSTERN_PROVIDER is simulator`] : [];
    }
    if (endpoint === undefined || isAmazon(endpoint)) return [];
    return [`${key} is not an Amazon address; that is accepted only with POSTERN_PROVIDER=simulator`];
  });
}

/** SES publishes only to topics of its own region. */
function topicProblems(given: Environment): string[] {
  const region = environmentSchema.shape.AWS_REGION.safeParse(given.AWS_REGION).data;
  const topic = environmentSchema.shape.AWS_FEEDBACK_TOPIC_ARN.safeParse(given.AWS_FEEDBACK_TOPIC_ARN).data;
  if (region === undefined || topic === undefined || topic.region === region) return [];
  return [`AWS_FEEDBACK_TOPIC_ARN is a topic in ${topic.region}, but AWS_REGION is ${region}`];
}

function queueProblems(given: Environment): string[] {
  const provider = environmentSchema.shape.POSTERN_PROVIDER.safeParse(given.POSTERN_PROVIDER).data;
  const region = environmentSchema.shape.AWS_REGION.safeParse(given.AWS_REGION).data;
  const queueUrl = environmentSchema.shape.AWS_FEEDBACK_QUEUE_URL.safeParse(given.AWS_FEEDBACK_QUEUE_URL).data;
  if (provider === undefined || region === undefined || queueUrl === undefined) return [];
  const { origin } = new URL(queueUrl);
  if (provider === "simulator") {
    return isAmazon(origin) ? ["AWS_FEEDBACK_QUEUE_URL names Amazon, but POSTERN_PROVIDER is simulator"] : [];
  }
  const expected = `https://sqs.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
  return origin === expected ? [] : [`AWS_FEEDBACK_QUEUE_URL must start with ${expected}/, the queues of AWS_REGION`];
}

function rotationProblems(given: Environment): string[] {
  return ["API_KEY_PEPPER", "CONTENT_KEY", "TOKEN_SIGNING_KEY"].flatMap((key) => {
    const [first, second] = [secret.safeParse(given[key]).data, secret.safeParse(given[`${key}_SECOND`]).data];
    if (first === undefined || second === undefined) return [];
    if (second.id === first.id) return [`${key} and ${key}_SECOND carry the same id; give each its own`];
    return second.key.equals(first.key) ? [`${key} and ${key}_SECOND are the same secret under two ids`] : [];
  });
}

function isAmazon(endpoint: string): boolean {
  const { protocol, hostname } = new URL(endpoint);
  return protocol === "https:" && /\.(amazonaws\.com|amazonaws\.com\.cn|api\.aws)$/.test(hostname);
}

function databasePart(
  values: Pick<Values, "DATABASE_URL" | "DATABASE_DIRECT_URL" | "DATABASE_POOL_SIZE" | "PARTITION_SPAN" | "LOG_LEVEL">,
) {
  return {
    database: {
      url: values.DATABASE_URL,
      directUrl: values.DATABASE_DIRECT_URL ?? values.DATABASE_URL,
      poolSize: values.DATABASE_POOL_SIZE,
    },
    partitionSpan: values.PARTITION_SPAN,
    logLevel: values.LOG_LEVEL,
  };
}

function feedbackPart(values: Pick<Values, "FEEDBACK_GAP_SECONDS" | "AWS_FEEDBACK_QUEUE_URL">) {
  return {
    feedbackGapSeconds: values.FEEDBACK_GAP_SECONDS,
    hasFeedbackQueue: values.AWS_FEEDBACK_QUEUE_URL !== undefined,
  };
}

function pair(current: Secret, second: Secret | undefined): SecretPair {
  return { current, second };
}

function invalid(problems: string[]): ConfigurationError {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const lines = problems.map((problem) => `  - ${problem}`).join("\n");
  return new ConfigurationError(`${count} in the configuration:\n${lines}\nEvery key is explained in .env.example.`);
}
