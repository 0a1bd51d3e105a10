import { createSecretKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { z } from "zod";
import { ConfigurationError } from "./errors.ts";

export type Environment = Record<string, string | undefined>;

/** A KeyObject and not bytes: it prints as nothing, and hashing with one is five times faster than with a Buffer. */
export interface Secret {
  id: string;
  key: KeyObject;
}

/** `current` makes new values; `second` is also accepted: the previous one, or the next one while it is rolled out. */
export interface SecretPair {
  current: Secret;
  second: Secret | undefined;
}

export type Config = ReturnType<typeof readConfig>;

const port = z.coerce.number("must be a number").int("must be a whole number").min(0).max(65_535);
const optional = <Schema extends z.ZodType>(schema: Schema) => schema.optional();

const postgresUrl = z.string().refine((value) => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value), {
  error: "must look like postgres://user:password@host:5432/database",
});
const httpUrl = z.string().refine((value) => /^https?:\/\/[^/]+$/.test(value) && URL.canParse(value), {
  error: "must be an http or https address without a path, for example https://mail.example.com",
});

const secret = z.string().transform((value, context): Secret => {
  const [, id, text] = /^([a-z0-9-]{1,32}):([A-Za-z0-9_-]{43})$/.exec(value) ?? [];
  const bytes = Buffer.from(text ?? "", "base64url");
  if (id === undefined || bytes.length !== 32 || new Set(bytes).size < 8) {
    context.addIssue("must be <id>:<32 random bytes as base64url>; `postern admin generate-secrets` prints one");
    return z.NEVER;
  }
  return { id, key: createSecretKey(bytes) };
});

const proxies = z.string().transform((value, context): string[] => {
  const entries = value.split(",").map((entry) => entry.trim());
  const listed = entries.filter((entry) => entry !== "");
  for (const entry of listed.filter((candidate) => !isAddressRange(candidate))) {
    context.addIssue(`has "${entry}", which is neither an IP address nor a range such as 10.0.0.0/8`);
  }
  return listed;
});

/** Every key with its meaning. `.env.example` shows the same keys; a test compares the two. */
export const environmentSchema = z.object({
  DATABASE_URL: postgresUrl.describe("PostgreSQL 15 or newer, the only server Postern needs"),
  DATABASE_DIRECT_URL: optional(postgresUrl).describe("the same database without PgBouncer, for migrations"),
  DATABASE_POOL_SIZE: z.coerce.number().int().min(1).max(200).default(10).describe("connections per process"),
  HOST: z.string().default("127.0.0.1").describe("address the API listens on; 0.0.0.0 in a container"),
  PORT: port.default(3000).describe("port of the API"),
  OPERATIONS_HOST: z.string().default("127.0.0.1").describe("address of /metrics and the health details"),
  OPERATIONS_PORT: port.default(3001).describe("port of /metrics and the health details"),
  PUBLIC_URL: optional(httpUrl).describe("how callers reach the API; issuer of its tokens"),
  TRUSTED_PROXIES: proxies.default([]).describe("addresses and ranges whose X-Forwarded-For is believed"),
  API_REFERENCE: z.enum(["on", "off"]).default("on").describe("interactive documentation at /reference"),
  LOG_LEVEL: z.enum(["debug", "info", "warn", "error", "silent"]).default("info").describe("how much is logged"),
  CELL_CODE: z
    .string()
    .regex(/^[A-Za-z0-9_-]{2}$/, "must be two characters of A-Z a-z 0-9 - _")
    .default("AA")
    .describe("names this installation inside keys and tokens"),
  POSTERN_PROVIDER: z.enum(["ses", "simulator"]).default("ses").describe("real Amazon SES, or ses-simulator"),
  AWS_REGION: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "must look like eu-central-1")
    .describe("region of SES"),
  AWS_ENDPOINT_URL_SESV2: optional(httpUrl).describe("SES endpoint; only needed with the simulator"),
  AWS_ENDPOINT_URL_SNS: optional(httpUrl).describe("SNS endpoint; only needed with the simulator"),
  AWS_ENDPOINT_URL_SQS: optional(httpUrl).describe("SQS endpoint; only needed with the simulator"),
  API_KEY_PEPPER: secret.describe("keys the stored hashes of API keys"),
  API_KEY_PEPPER_SECOND: optional(secret).describe("second accepted pepper while rotating"),
  CONTENT_KEY: secret.describe("seals the content of mails at rest"),
  CONTENT_KEY_SECOND: optional(secret).describe("second accepted content key while rotating"),
  TOKEN_SIGNING_KEY: secret.describe("Ed25519 seed that signs access tokens"),
  TOKEN_SIGNING_KEY_SECOND: optional(secret).describe("second accepted signing key while rotating"),
});

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
  problems.push(...providerProblems(given), ...rotationProblems(given));
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
    provider: {
      kind: values.POSTERN_PROVIDER,
      region: values.AWS_REGION,
      endpoints: {
        ses: values.AWS_ENDPOINT_URL_SESV2,
        sns: values.AWS_ENDPOINT_URL_SNS,
        sqs: values.AWS_ENDPOINT_URL_SQS,
      },
    },
    secrets: {
      apiKeyPepper: pair(values.API_KEY_PEPPER, values.API_KEY_PEPPER_SECOND),
      contentKey: pair(values.CONTENT_KEY, values.CONTENT_KEY_SECOND),
      tokenSigningKey: pair(values.TOKEN_SIGNING_KEY, values.TOKEN_SIGNING_KEY_SECOND),
    },
  };
}

/** What migrations and the admin commands need: they run before, and without, the rest of the configuration. */
export function readDatabaseConfig(env: Environment) {
  const problems: string[] = [];
  const keys = { DATABASE_URL: true, DATABASE_DIRECT_URL: true, DATABASE_POOL_SIZE: true, LOG_LEVEL: true } as const;
  const schema = environmentSchema.pick(keys);
  const values = parse(schema, withSecretsFromFiles(schema, env, problems), problems);
  if (values === undefined || problems.length > 0) throw invalid(problems);
  return databasePart(values);
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

function isAddressRange(entry: string): boolean {
  const [address = "", bits, ...rest] = entry.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (bits === undefined) return true;
  try {
    new BlockList().addSubnet(address, Number(bits), family === 6 ? "ipv6" : "ipv4");
    return /^\d+$/.test(bits);
  } catch {
    return false;
  }
}

function databasePart(
  values: Pick<Values, "DATABASE_URL" | "DATABASE_DIRECT_URL" | "DATABASE_POOL_SIZE" | "LOG_LEVEL">,
) {
  return {
    database: {
      url: values.DATABASE_URL,
      directUrl: values.DATABASE_DIRECT_URL ?? values.DATABASE_URL,
      poolSize: values.DATABASE_POOL_SIZE,
    },
    logLevel: values.LOG_LEVEL,
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
