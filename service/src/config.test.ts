import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { configProblems } from "../test/config-problems.ts";
import { aFolder } from "../test/run-postern.ts";
import { makeTestCa } from "../test/test-ca.ts";
import { anEnvironment, aSecret } from "../test/test-config.ts";
import { readConfig, readStatusConfig, readWorkerConfig } from "./config.ts";
import { type Environment, environmentSchema } from "./environment-schema.ts";
import { ConfigurationError } from "./errors.ts";
import { listSettings } from "./list-settings.ts";

test("every setting is read", () => {
  const { caFile } = makeTestCa(aFolder({}), "config");
  const env = anEnvironment({
    DATABASE_URL: "postgres://postern:word@db.test:6432/postern",
    DATABASE_DIRECT_URL: "postgresql://postern:word@db.test/postern",
    DATABASE_CA_FILE: caFile,
    DATABASE_POOL_SIZE: "25",
    DATABASE_DISK_GB: "500",
    SES_TENANTS: "prepare",
    PARTITION_SPAN: "week",
    CONTENT_RETENTION_DAYS: "7",
    AUDIT_RETENTION_DAYS: "30",
    RECORD_RETENTION_DAYS: "60",
    CONTENT_VIEW: "off",
    ATTACHMENT_MEBIBYTES: "25",
    HOST: "0.0.0.0",
    PORT: "8080",
    OPERATIONS_HOST: "10.0.0.5",
    OPERATIONS_PORT: "9090",
    DRAIN_SECONDS: "15",
    PUBLIC_URL: "https://mail.example.com",
    TRUSTED_PROXIES: "10.0.0.0/8",
    API_REFERENCE: "off",
    LOG_LEVEL: "warn",
    CELL_CODE: "e-",
    DELIVERY_SLOTS: "400",
    DELIVERY_MEBIBYTES: "128",
    GIVE_UP_AFTER_SECONDS: "3600",
    IN_DOUBT_SECONDS: "10",
    IN_DOUBT_MAX_SECONDS: "60",
    IN_DOUBT_POLICY: "fail",
    FEEDBACK_PUSH: "on",
    FEEDBACK_GAP_SECONDS: "300",
    SYSTEM_SENDER: "Postern <postern@Mail.example.com>",
    OPERATOR_EMAIL: "ada@example.com",
    OIDC_ISSUER: "https://login.example.com/realms/acme",
    OIDC_CLIENT_ID: "postern",
    OIDC_CLIENT_SECRET: "a secret of the issuer",
    OIDC_MAPPING:
      '[{"claim":"groups","value":"mail","account":"0199A5C2-1f3e-7c4b-9d52-6a1b2c3d4e5f","role":"viewer"}]',
    OIDC_SCOPES: "openid email groups",
    DNS_SERVERS: "10.0.0.2",
    WEBHOOK_PORTS: "443, 8443",
    AWS_FEEDBACK_TOPIC_ARN: "arn:aws:sns:eu-central-1:123456789012:postern-e-",
    AWS_FEEDBACK_QUEUE_URL: "http://127.0.0.1:4579/123456789012/postern-e-",
    API_KEY_PEPPER_SECOND: aSecret("k2"),
    CONTENT_KEY_SECOND: aSecret("k2"),
    TOKEN_SIGNING_KEY_SECOND: aSecret("k2"),
  });
  expect(Object.keys(env).toSorted()).toEqual(Object.keys(environmentSchema.shape).toSorted());

  const { secrets, ...rest } = readConfig(env);
  const pair = { current: { id: "k1" }, second: { id: "k2" } };
  expect(secrets).toMatchObject({ apiKeyPepper: pair, contentKey: pair, tokenSigningKey: pair });
  expect(secrets.contentKey.second?.key.export().toString("base64url")).toBe(env.CONTENT_KEY_SECOND?.slice(3));
  expect(rest).toEqual({
    database: {
      url: `postgres://postern:word@db.test:6432/postern?sslmode=verify-full&sslrootcert=${encodeURIComponent(caFile)}`,
      directUrl: `postgresql://postern:word@db.test/postern?sslmode=verify-full&sslrootcert=${encodeURIComponent(caFile)}`,
      poolSize: 25,
    },
    partitionSpan: "week",
    contentRetentionDays: 7,
    maxAttachmentBytes: 26_214_400,
    auditRetentionDays: 30,
    recordRetentionDays: 60,
    showsContent: false,
    databaseDiskBytes: 500_000_000_000,
    logLevel: "warn",
    http: {
      host: "0.0.0.0",
      port: 8080,
      drainSeconds: 15,
      publicUrl: "https://mail.example.com",
      trustedProxies: ["10.0.0.0/8"],
      showReference: false,
    },
    operations: { host: "10.0.0.5", port: 9090 },
    cellCode: "e-",
    delivery: {
      slots: 400,
      maxBytes: 134_217_728,
      giveUpAfterSeconds: 3600,
      inDoubtSeconds: 10,
      inDoubtMaxSeconds: 60,
      inDoubtPolicy: "fail",
    },
    feedback: { feedbackGapSeconds: 300, hasFeedbackQueue: true },
    notices: {
      sender: expect.objectContaining({
        name: "Postern",
        address: expect.objectContaining({ domain: "mail.example.com" }),
      }),
      operatorEmail: expect.objectContaining({ ascii: "ada@example.com" }),
    },
    oidc: {
      issuer: "https://login.example.com/realms/acme",
      clientId: "postern",
      clientSecret: expect.objectContaining({ type: "secret" }),
      rules: [{ claim: "groups", value: "mail", account: "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f", role: "viewer" }],
      scopes: "openid email groups",
    },
    dnsServers: ["10.0.0.2"],
    webhooks: { ports: [443, 8443], allowsHttp: true },
    provider: {
      kind: "simulator",
      tenants: "prepare",
      region: "eu-central-1",
      endpoints: { ses: "http://127.0.0.1:4579", sns: "http://127.0.0.1:4579", sqs: "http://127.0.0.1:4579" },
      feedbackTopicArn: "arn:aws:sns:eu-central-1:123456789012:postern-e-",
      feedbackQueueUrl: "http://127.0.0.1:4579/123456789012/postern-e-",
      isPushOpen: true,
      awsAccountId: "123456789012",
      partition: "aws",
    },
  });
});

test("only the database, the region and three secrets are required; by default both ports listen on loopback", () => {
  const { AWS_REGION, DATABASE_URL, API_KEY_PEPPER, CONTENT_KEY, TOKEN_SIGNING_KEY } = anEnvironment();
  const config = readConfig({ AWS_REGION, DATABASE_URL, API_KEY_PEPPER, CONTENT_KEY, TOKEN_SIGNING_KEY });
  expect(config).toMatchObject({
    database: { directUrl: DATABASE_URL, poolSize: 10 },
    http: {
      host: "127.0.0.1",
      port: 3000,
      publicUrl: "http://localhost:3000",
      trustedProxies: [],
      showReference: true,
    },
    operations: { host: "127.0.0.1", port: undefined },
    cellCode: "AA",
    showsContent: true,
    delivery: {
      slots: 100,
      maxBytes: 67_108_864,
      giveUpAfterSeconds: 86_400,
      inDoubtSeconds: 120,
      inDoubtMaxSeconds: 3_600,
      inDoubtPolicy: "resend",
    },
    dnsServers: [],
    partitionSpan: "month",
    contentRetentionDays: 30,
    logLevel: "info",
    provider: { kind: "ses" },
  });
  expect(config.secrets.contentKey.second).toBeUndefined();
});

test("a worker needs no secret of the API, reads none, and the settings page says so", () => {
  const { AWS_REGION, DATABASE_URL, CONTENT_KEY } = anEnvironment();
  const config = readWorkerConfig({ AWS_REGION, DATABASE_URL, CONTENT_KEY, API_KEY_PEPPER_FILE: "/no/such/file" });
  expect(Object.keys(config.secrets)).toEqual(["contentKey"]);
  expect(config).toMatchObject({ cellCode: "AA", provider: { kind: "ses" }, delivery: { inDoubtSeconds: 120 } });
  const required = listSettings().filter(({ isRequired }) => isRequired);
  const of = (role: "API" | "worker") => required.filter(({ usedBy }) => usedBy.includes(role)).map(({ name }) => name);
  expect(missingOf(readWorkerConfig)).toEqual(of("worker"));
  expect(missingOf((env) => readConfig(env, "postern api"))).toEqual(of("API"));
});

test("a missing secret of the API is reported with the command that needs it", () => {
  expect(() => readConfig(anEnvironment({ TOKEN_SIGNING_KEY: undefined }), "postern api")).toThrow(
    /^1 problem in the configuration of `postern api`:\n {2}- TOKEN_SIGNING_KEY is missing: /,
  );
  expect(() => readWorkerConfig(anEnvironment({ CONTENT_KEY: undefined }))).toThrow(
    /^1 problem in the configuration of `postern worker`:\n {2}- CONTENT_KEY is missing: /,
  );
});

test("with SES, a wait for evidence that is too short is refused; the simulator may use one", () => {
  const noEndpoints = { AWS_ENDPOINT_URL_SESV2: "", AWS_ENDPOINT_URL_SNS: "", AWS_ENDPOINT_URL_SQS: "" };
  const ses = { ...noEndpoints, POSTERN_PROVIDER: "ses" };
  expect(configProblems({ ...ses, IN_DOUBT_SECONDS: "59" })).toEqual([
    "IN_DOUBT_SECONDS must be at least 60: with a shorter wait, mail goes out twice",
  ]);
  expect(configProblems({ ...ses, IN_DOUBT_SECONDS: "120", IN_DOUBT_MAX_SECONDS: "119" })).toEqual([
    expect.stringMatching(/^IN_DOUBT_MAX_SECONDS must not be less than IN_DOUBT_SECONDS: /),
  ]);
  expect(readConfig(anEnvironment({ ...ses, IN_DOUBT_SECONDS: "60" })).delivery.inDoubtSeconds).toBe(60);
  expect(readConfig(anEnvironment({ IN_DOUBT_SECONDS: "1" })).delivery.inDoubtSeconds).toBe(1);
});

test("an empty value counts as absent", () => {
  expect(readConfig(anEnvironment({ PORT: "", API_KEY_PEPPER_SECOND: "" })).http.port).toBe(3000);
  expect(configProblems({ AWS_REGION: "" })).toEqual(["AWS_REGION is missing: region of SES"]);
});

test("all problems are listed together, including conflicts between settings", () => {
  const pepper = aSecret("k1");
  const problems = configProblems({
    DATABASE_URL: undefined,
    AWS_REGION: undefined,
    CONTENT_KEY: undefined,
    PORT: "70000",
    OPERATIONS_PORT: "many",
    DATABASE_POOL_SIZE: "0",
    PARTITION_SPAN: "year",
    CONTENT_RETENTION_DAYS: "6",
    RECORD_RETENTION_DAYS: "59",
    PUBLIC_URL: "https://mail.example.com/api",
    CELL_CODE: "ABC",
    LOG_LEVEL: "loud",
    API_REFERENCE: "yes",
    API_KEY_PEPPER: pepper,
    API_KEY_PEPPER_SECOND: pepper,
    TOKEN_SIGNING_KEY_FILE: "/nowhere/key",
    AWS_ENDPOINT_URL_SNS: undefined,
  });
  const keys = problems.map((problem) => problem.split(" ")[0] ?? "");
  expect(keys.toSorted()).toEqual([
    "API_KEY_PEPPER",
    "API_REFERENCE",
    "AWS_ENDPOINT_URL_SNS",
    "AWS_REGION",
    "CELL_CODE",
    "CONTENT_KEY",
    "CONTENT_RETENTION_DAYS",
    "DATABASE_POOL_SIZE",
    "DATABASE_URL",
    "LOG_LEVEL",
    "OPERATIONS_PORT",
    "PARTITION_SPAN",
    "PORT",
    "PUBLIC_URL",
    "RECORD_RETENTION_DAYS",
    "TOKEN_SIGNING_KEY",
    "TOKEN_SIGNING_KEY_FILE",
  ]);
  expect(problems).toContain("CONTENT_KEY is missing: encrypts the content of mails at rest");
  expect(problems).toContain("OPERATIONS_PORT must be a whole number from 0 to 65535");
  expect(problems).toContain("RECORD_RETENTION_DAYS must be a whole number from 60 to 3650");
});

test("content may not be kept longer than the record of its send", () => {
  const problemsWith = (days: string) => configProblems({ RECORD_RETENTION_DAYS: "60", CONTENT_RETENTION_DAYS: days });
  expect(problemsWith("61")).toEqual([
    "CONTENT_RETENTION_DAYS must not be more than RECORD_RETENTION_DAYS: the content goes with the record",
  ]);
  expect(() => readConfig(anEnvironment({ RECORD_RETENTION_DAYS: "60", CONTENT_RETENTION_DAYS: "60" }))).not.toThrow();
});

test(".env.example lists exactly the settings that are read", () => {
  const text = readFileSync(new URL("../../.env.example", import.meta.url), "utf8");
  const shown = [...text.matchAll(/^(# )?([A-Z0-9_]+)=/gm)].map(([, , key]) => key ?? "");
  expect(shown.toSorted()).toEqual(Object.keys(environmentSchema.shape).toSorted());
});

test("`postern status` needs no secret, and reads the feedback settings if they are set", () => {
  const DATABASE_URL = "postgres://db.test/postern";
  expect(readStatusConfig({ DATABASE_URL }).feedback).toEqual({ feedbackGapSeconds: 900, hasFeedbackQueue: false });
  const AWS_FEEDBACK_QUEUE_URL = "http://127.0.0.1:4579/123456789012/postern-AA";
  const { feedback } = readStatusConfig({ DATABASE_URL, AWS_FEEDBACK_QUEUE_URL, FEEDBACK_GAP_SECONDS: "60" });
  expect(feedback).toEqual({ feedbackGapSeconds: 60, hasFeedbackQueue: true });
});

function missingOf(read: (env: Environment) => unknown): string[] {
  try {
    read({});
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return [...error.message.matchAll(/^ {2}- (\w+) is missing/gm)].map(([, name = ""]) => name);
  }
  throw new Error("the configuration was accepted");
}
