import { readFileSync } from "node:fs";
import { z } from "zod";
import { findConflicts, findDatabaseConflicts } from "./config-conflicts.ts";
import { callerSchema, type Environment, environmentSchema } from "./environment-schema.ts";
import { ConfigurationError } from "./errors.ts";
import { findMisspeltSettings } from "./misspelt-settings.ts";
import { withCaFile } from "./postgres-url.ts";
import type { Secret, SecretPair } from "./secret.ts";

export type { Environment } from "./environment-schema.ts";
export type Config = ReturnType<typeof readConfig>;
/** The part that a worker has. `Config` has it too, for the worker inside `postern serve`. */
export type WorkerConfig = ReturnType<typeof readWorkerConfig>;

type Key = keyof typeof environmentSchema.shape;

/** Secret settings. Their value can come from a file: the name with `_FILE` appended gives the path. */
export const secretKeys = [
  "DATABASE_URL",
  "DATABASE_DIRECT_URL",
  "API_KEY_PEPPER",
  "API_KEY_PEPPER_SECOND",
  "CONTENT_KEY",
  "CONTENT_KEY_SECOND",
  "TOKEN_SIGNING_KEY",
  "TOKEN_SIGNING_KEY_SECOND",
  "OIDC_CLIENT_SECRET",
] as const satisfies Key[];

/** Reads the settings of the API or of `postern serve`, once at start, and reports all problems together. */
export function readConfig(env: Environment, command?: "postern api" | "postern serve") {
  const values = readProcess(environmentSchema, env, command);
  return {
    ...processPart(values),
    oidc: oidcPart(values),
    showsContent: values.CONTENT_VIEW === "on",
    secrets: {
      apiKeyPepper: pair(values.API_KEY_PEPPER, values.API_KEY_PEPPER_SECOND),
      contentKey: pair(values.CONTENT_KEY, values.CONTENT_KEY_SECOND),
      tokenSigningKey: pair(values.TOKEN_SIGNING_KEY, values.TOKEN_SIGNING_KEY_SECOND),
    },
  };
}

const oidcKeys = {
  OIDC_ISSUER: true,
  OIDC_CLIENT_ID: true,
  OIDC_CLIENT_SECRET: true,
  OIDC_MAPPING: true,
  OIDC_SCOPES: true,
} as const;

/** What only the API needs. */
const apiKeys = {
  ...oidcKeys,
  CONTENT_VIEW: true,
  API_KEY_PEPPER: true,
  API_KEY_PEPPER_SECOND: true,
  TOKEN_SIGNING_KEY: true,
  TOKEN_SIGNING_KEY_SECOND: true,
} as const;

/** Of the secrets a worker needs only the content key. An attacker who controls a worker can therefore not act as a user. */
export function readWorkerConfig(env: Environment) {
  const values = readProcess(environmentSchema.omit(apiKeys), env, "postern worker");
  return { ...processPart(values), secrets: { contentKey: pair(values.CONTENT_KEY, values.CONTENT_KEY_SECOND) } };
}

function processPart(values: Omit<Values, keyof typeof apiKeys>) {
  return {
    ...databasePart(values),
    http: {
      host: values.HOST,
      port: values.PORT,
      drainSeconds: values.DRAIN_SECONDS,
      publicUrl: publicUrlOf(values),
      trustedProxies: values.TRUSTED_PROXIES,
      showReference: values.API_REFERENCE === "on",
    },
    operations: { host: values.OPERATIONS_HOST, port: values.OPERATIONS_PORT },
    cellCode: values.CELL_CODE,
    contentRetentionDays: values.CONTENT_RETENTION_DAYS,
    maxAttachmentBytes: values.ATTACHMENT_MEBIBYTES * 1024 * 1024,
    auditRetentionDays: values.AUDIT_RETENTION_DAYS,
    recordRetentionDays: values.RECORD_RETENTION_DAYS,
    databaseDiskBytes: diskBytes(values),
    delivery: {
      slots: values.DELIVERY_SLOTS,
      maxBytes: values.DELIVERY_MEBIBYTES * 1024 * 1024,
      giveUpAfterSeconds: values.GIVE_UP_AFTER_SECONDS,
      inDoubtSeconds: values.IN_DOUBT_SECONDS,
      inDoubtMaxSeconds: values.IN_DOUBT_MAX_SECONDS,
      inDoubtPolicy: values.IN_DOUBT_POLICY,
    },
    feedback: feedbackPart(values),
    notices: noticePart(values),
    /** Empty means the resolvers of the system. */
    dnsServers: values.DNS_SERVERS,
    /** Without TLS only where no mail reaches people, for development on one machine. */
    webhooks: { ports: values.WEBHOOK_PORTS, allowsHttp: values.POSTERN_PROVIDER === "simulator" },
    provider: {
      ...awsPart(values),
      feedbackTopicArn: values.AWS_FEEDBACK_TOPIC_ARN?.arn,
      awsAccountId: values.AWS_FEEDBACK_TOPIC_ARN?.accountId,
      partition: values.AWS_FEEDBACK_TOPIC_ARN?.partition,
      feedbackQueueUrl: values.AWS_FEEDBACK_QUEUE_URL,
      isPushOpen: (values.FEEDBACK_PUSH ?? (values.AWS_FEEDBACK_QUEUE_URL === undefined ? "on" : "off")) === "on",
    },
  };
}

const databaseKeys = {
  DATABASE_URL: true,
  DATABASE_DIRECT_URL: true,
  DATABASE_CA_FILE: true,
  DATABASE_POOL_SIZE: true,
  PARTITION_SPAN: true,
  LOG_LEVEL: true,
} as const;

const awsKeys = {
  CELL_CODE: true,
  POSTERN_PROVIDER: true,
  SES_TENANTS: true,
  AWS_REGION: true,
  AWS_ENDPOINT_URL_SESV2: true,
  AWS_ENDPOINT_URL_SNS: true,
  AWS_ENDPOINT_URL_SQS: true,
} as const;

/** The settings of migrations and admin commands, which run without the rest of the configuration. */
export function readDatabaseConfig(env: Environment) {
  return databasePart(readPart(environmentSchema.pick(databaseKeys), env));
}

/** The settings of `postern status`, which must also work where the secrets are not available. */
export function readStatusConfig(env: Environment) {
  const keys = {
    ...databaseKeys,
    DATABASE_DISK_GB: true,
    FEEDBACK_GAP_SECONDS: true,
    AWS_FEEDBACK_QUEUE_URL: true,
  } as const;
  const values = readPart(environmentSchema.pick(keys), env);
  return { ...databasePart(values), feedback: feedbackPart(values), databaseDiskBytes: diskBytes(values) };
}

/** The settings of `postern aws setup`, which needs no database and no secrets: it runs before they exist. */
export function readAwsConfig(env: Environment) {
  const values = readProcess(environmentSchema.pick(awsKeys), env);
  return { cellCode: values.CELL_CODE, provider: awsPart(values) };
}

/** The settings of `postern aws doctor`, which needs no database and no secrets either. */
export function readDoctorConfig(env: Environment) {
  const keys = { ...awsKeys, AWS_FEEDBACK_TOPIC_ARN: true, AWS_FEEDBACK_QUEUE_URL: true } as const;
  const values = readProcess(environmentSchema.pick(keys), env);
  return {
    cellCode: values.CELL_CODE,
    provider: awsPart(values),
    feedbackTopicArn: values.AWS_FEEDBACK_TOPIC_ARN?.arn,
    feedbackQueueUrl: values.AWS_FEEDBACK_QUEUE_URL,
  };
}

/** The settings of `postern aws check`, which also looks at DNS. */
export function readCheckConfig(env: Environment) {
  const { DNS_SERVERS } = readPart(environmentSchema.pick({ DNS_SERVERS: true }), env);
  return { ...readDoctorConfig(env), dnsServers: DNS_SERVERS };
}

/** For `postern listen`, which needs an API key and nothing of the installation. Its help explains both settings. */
export function readCallerConfig(env: Environment) {
  const problems: string[] = [];
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const values = parse(callerSchema, given, problems);
  if (values === undefined) throw invalid(problems, "postern listen", "`postern help listen` explains the settings.");
  return { url: values.POSTERN_URL, apiKey: values.POSTERN_API_KEY };
}

/** The settings of the commands that create API keys. */
export function readKeyIssuer(env: Environment) {
  const values = readPart(environmentSchema.pick({ API_KEY_PEPPER: true, CELL_CODE: true }), env);
  return { pepper: values.API_KEY_PEPPER, cellCode: values.CELL_CODE };
}

/** The keys of commands that use a sealed key of the database. */
export function readContentKeys(env: Environment): SecretPair {
  const values = readPart(environmentSchema.pick({ CONTENT_KEY: true, CONTENT_KEY_SECOND: true }), env);
  return pair(values.CONTENT_KEY, values.CONTENT_KEY_SECOND);
}

/** The settings of one of the two cells of `postern admin move-account`. */
export function readMovingCellConfig(env: Environment) {
  const keys = {
    ...databaseKeys,
    API_KEY_PEPPER: true,
    API_KEY_PEPPER_SECOND: true,
    CONTENT_KEY: true,
    CONTENT_KEY_SECOND: true,
    CELL_CODE: true,
    PUBLIC_URL: true,
    PORT: true,
    RECORD_RETENTION_DAYS: true,
    AWS_FEEDBACK_TOPIC_ARN: true,
  } as const;
  const values = readPart(environmentSchema.pick(keys), env);
  const topic = values.AWS_FEEDBACK_TOPIC_ARN;
  return {
    ...databasePart(values),
    code: values.CELL_CODE,
    publicUrl: publicUrlOf(values),
    apiKeyPepper: pair(values.API_KEY_PEPPER, values.API_KEY_PEPPER_SECOND),
    contentKey: pair(values.CONTENT_KEY, values.CONTENT_KEY_SECOND),
    recordRetentionDays: values.RECORD_RETENTION_DAYS,
    aws: topic === undefined ? undefined : { account: topic.accountId, region: topic.region },
  };
}

/** For the links that commands print; the same default as that of the API. */
export function readPublicUrl(env: Environment): string {
  const values = readPart(environmentSchema.pick({ PUBLIC_URL: true, PORT: true }), env);
  return publicUrlOf(values);
}

function publicUrlOf({ PUBLIC_URL, PORT }: Pick<Values, "PUBLIC_URL" | "PORT">): string {
  return PUBLIC_URL ?? `http://localhost:${PORT}`;
}

/** Ignores settings that are not in the schema, even if they contradict each other. */
function readProcess<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, env: Environment, command?: string) {
  const problems: string[] = [];
  const given = withSecretsFromFiles(schema, env, problems);
  const values = parse(schema, given, problems);
  problems.push(...findConflicts(Object.fromEntries(Object.keys(schema.shape).map((key) => [key, given[key]]))));
  if (values === undefined || problems.length > 0) throw invalid([...problems, ...misspeltProblems(env)], command);
  return values;
}

function readPart<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, env: Environment) {
  const problems: string[] = [];
  const given = withSecretsFromFiles(schema, env, problems);
  const values = parse(schema, given, problems);
  if ("DATABASE_URL" in schema.shape) problems.push(...findDatabaseConflicts(given));
  if (values === undefined || problems.length > 0) throw invalid([...problems, ...misspeltProblems(env)]);
  return values;
}

/** Variables that look like settings and are not. A process warns of them; only a value that is missing stops it. */
export function readMisspeltSettings(env: Environment) {
  const settings = [...Object.keys(environmentSchema.shape), ...Object.keys(callerSchema.shape)];
  const fileSettings = secretKeys.map((key) => `${key}_FILE`);
  return findMisspeltSettings(Object.keys(env), settings, fileSettings);
}

function misspeltProblems(env: Environment): string[] {
  return readMisspeltSettings(env).map(({ name, nearest }) => `${name} is not a setting; did you mean ${nearest}?`);
}

/** The process environment, completed by the `.env` file in the working directory if it exists. */
export function loadEnvironment(): Environment {
  try {
    process.loadEnvFile();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  return process.env;
}

/** Whether npm or a similar program runs this process as a script. */
export function isRunByNpm(): boolean {
  return process.env.npm_lifecycle_event !== undefined;
}

/** Whether the operator chose the size of Node's heap, by an option of the command or in NODE_OPTIONS. */
export function hasHeapOptions(given: readonly string[], { NODE_OPTIONS = "" }: Environment = process.env): boolean {
  return [...given, NODE_OPTIONS].some((options) =>
    /--max[-_](?:old[-_]space|semi[-_]space|heap)[-_]size/.test(options),
  );
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
  for (const key of secretKeys.filter((candidate) => candidate in schema.shape)) {
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

function databasePart(values: Pick<Values, keyof typeof databaseKeys>) {
  const caFile = values.DATABASE_CA_FILE;
  return {
    database: {
      url: withCaFile(values.DATABASE_URL, caFile),
      directUrl: withCaFile(values.DATABASE_DIRECT_URL ?? values.DATABASE_URL, caFile),
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

function diskBytes({ DATABASE_DISK_GB: gigabytes }: Pick<Values, "DATABASE_DISK_GB">): number | undefined {
  return gigabytes === undefined ? undefined : gigabytes * 1e9;
}

/** A value with a problem does not get here. */
function noticePart({ SYSTEM_SENDER, OPERATOR_EMAIL }: Pick<Values, "SYSTEM_SENDER" | "OPERATOR_EMAIL">) {
  return {
    sender: SYSTEM_SENDER === undefined || "problem" in SYSTEM_SENDER ? undefined : SYSTEM_SENDER,
    operatorEmail: OPERATOR_EMAIL === undefined || "problem" in OPERATOR_EMAIL ? undefined : OPERATOR_EMAIL,
  };
}

/** Undefined without OIDC. `findConflicts` reports the case that only some of the settings are set. */
function oidcPart(values: Pick<Values, keyof typeof oidcKeys>) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = values;
  const { OIDC_MAPPING: rules, OIDC_SCOPES: scopes } = values;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined || rules === undefined) {
    return undefined;
  }
  return { issuer, clientId, clientSecret, rules, scopes };
}

function awsPart(values: Pick<Values, keyof typeof awsKeys>) {
  return {
    kind: values.POSTERN_PROVIDER,
    tenants: values.SES_TENANTS,
    region: values.AWS_REGION,
    endpoints: {
      ses: values.AWS_ENDPOINT_URL_SESV2,
      sns: values.AWS_ENDPOINT_URL_SNS,
      sqs: values.AWS_ENDPOINT_URL_SQS,
    },
  };
}

function pair(current: Secret, second: Secret | undefined): SecretPair {
  return { current, second };
}

function invalid(
  problems: string[],
  command?: string,
  advice = "Each setting is explained in .env.example.",
): ConfigurationError {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const where = command === undefined ? "the configuration" : `the configuration of \`${command}\``;
  const lines = problems.map((problem) => `  - ${problem}`).join("\n");
  return new ConfigurationError(`${count} in ${where}:\n${lines}\n${advice}`);
}
