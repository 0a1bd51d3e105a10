import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { anEnvironment, aSecret } from "../test/test-config.ts";
import { type Environment, readConfig, readDatabaseConfig, readStatusConfig } from "./config.ts";
import { environmentSchema } from "./environment-schema.ts";
import { ConfigurationError } from "./errors.ts";

const secretKeys = ["API_KEY_PEPPER", "CONTENT_KEY", "TOKEN_SIGNING_KEY"] as const;

test("an environment with every key set is read", () => {
  const env = anEnvironment({
    DATABASE_URL: "postgres://postern:word@db.test:6432/postern",
    DATABASE_DIRECT_URL: "postgresql://postern:word@db.test/postern",
    DATABASE_POOL_SIZE: "25",
    PARTITION_SPAN: "week",
    CONTENT_RETENTION_DAYS: "7",
    HOST: "0.0.0.0",
    PORT: "8080",
    OPERATIONS_HOST: "10.0.0.5",
    OPERATIONS_PORT: "9090",
    PUBLIC_URL: "https://mail.example.com",
    TRUSTED_PROXIES: "10.0.0.0/8",
    API_REFERENCE: "off",
    LOG_LEVEL: "warn",
    CELL_CODE: "e-",
    DELIVERY_SLOTS: "400",
    GIVE_UP_AFTER_SECONDS: "3600",
    IN_DOUBT_SECONDS: "10",
    IN_DOUBT_MAX_SECONDS: "60",
    IN_DOUBT_POLICY: "fail",
    FEEDBACK_GAP_SECONDS: "300",
    DNS_SERVERS: "10.0.0.2",
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
      url: "postgres://postern:word@db.test:6432/postern",
      directUrl: "postgresql://postern:word@db.test/postern",
      poolSize: 25,
    },
    partitionSpan: "week",
    contentRetentionDays: 7,
    logLevel: "warn",
    http: {
      host: "0.0.0.0",
      port: 8080,
      publicUrl: "https://mail.example.com",
      trustedProxies: ["10.0.0.0/8"],
      showReference: false,
    },
    operations: { host: "10.0.0.5", port: 9090 },
    cellCode: "e-",
    delivery: {
      slots: 400,
      giveUpAfterSeconds: 3600,
      inDoubtSeconds: 10,
      inDoubtMaxSeconds: 60,
      inDoubtPolicy: "fail",
    },
    feedback: { feedbackGapSeconds: 300, hasFeedbackQueue: true },
    dnsServers: ["10.0.0.2"],
    provider: {
      kind: "simulator",
      region: "eu-central-1",
      endpoints: { ses: "http://127.0.0.1:4579", sns: "http://127.0.0.1:4579", sqs: "http://127.0.0.1:4579" },
      feedbackTopicArn: "arn:aws:sns:eu-central-1:123456789012:postern-e-",
      feedbackQueueUrl: "http://127.0.0.1:4579/123456789012/postern-e-",
      awsAccountId: "123456789012",
      partition: "aws",
    },
  });
});

test("only the database, the region and three secrets are needed; both ports then listen on loopback", () => {
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
    delivery: {
      slots: 100,
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

test("an empty value counts as absent", () => {
  expect(readConfig(anEnvironment({ PORT: "", API_KEY_PEPPER_SECOND: "" })).http.port).toBe(3000);
  expect(problemsOf({ AWS_REGION: "" })).toEqual(["AWS_REGION is missing: region of SES"]);
});

test("every problem is listed at once, the ones between keys included", () => {
  const pepper = aSecret("k1");
  const problems = problemsOf({
    DATABASE_URL: undefined,
    AWS_REGION: undefined,
    CONTENT_KEY: undefined,
    PORT: "70000",
    OPERATIONS_PORT: "many",
    DATABASE_POOL_SIZE: "0",
    PARTITION_SPAN: "year",
    CONTENT_RETENTION_DAYS: "6",
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
    "TOKEN_SIGNING_KEY",
    "TOKEN_SIGNING_KEY_FILE",
  ]);
  expect(problems).toContain("CONTENT_KEY is missing: seals the content of mails at rest");
  expect(problems).toContain("OPERATIONS_PORT must be a whole number from 0 to 65535");
});

test(".env.example shows exactly the keys that are read", () => {
  const text = readFileSync(new URL("../../.env.example", import.meta.url), "utf8");
  const shown = [...text.matchAll(/^(# )?([A-Z0-9_]+)=/gm)].map(([, , key]) => key ?? "");
  expect(shown.toSorted()).toEqual(Object.keys(environmentSchema.shape).toSorted());
});

test("`postern status` needs no secret, and reads the feedback settings where they are", () => {
  const DATABASE_URL = "postgres://db.test/postern";
  expect(readStatusConfig({ DATABASE_URL }).feedback).toEqual({ feedbackGapSeconds: 900, hasFeedbackQueue: false });
  const AWS_FEEDBACK_QUEUE_URL = "http://127.0.0.1:4579/123456789012/postern-AA";
  const { feedback } = readStatusConfig({ DATABASE_URL, AWS_FEEDBACK_QUEUE_URL, FEEDBACK_GAP_SECONDS: "60" });
  expect(feedback).toEqual({ feedbackGapSeconds: 60, hasFeedbackQueue: true });
});

describe("secrets", () => {
  test("a secret is read from the file that <NAME>_FILE names, with or without a newline at its end", () => {
    const secret = aSecret("from-file");
    for (const ending of ["", "\n", "\r\n"]) {
      const env = anEnvironment({ CONTENT_KEY: undefined, CONTENT_KEY_FILE: aFile(secret + ending) });
      expect(readConfig(env).secrets.contentKey.current.id).toBe("from-file");
    }
  });

  test("the address of the database may come from a file as well", () => {
    const file = aFile("postgres://postern:word@db.test/postern\n");
    expect(readDatabaseConfig({ DATABASE_URL_FILE: file }).database.url).toBe(
      "postgres://postern:word@db.test/postern",
    );
  });

  test("a secret given both directly and by file is refused", () => {
    expect(problemsOf({ CONTENT_KEY_FILE: aFile(aSecret()) })).toEqual([
      "CONTENT_KEY and CONTENT_KEY_FILE are both set; keep one of them",
    ]);
  });

  test("a file that cannot be read is one problem, not two", () => {
    expect(problemsOf({ CONTENT_KEY: undefined, CONTENT_KEY_FILE: "/nowhere/content-key" })).toEqual([
      "CONTENT_KEY_FILE names a file that cannot be read",
    ]);
  });

  test("migrations need no file of a secret they do not use", () => {
    const env = { DATABASE_URL: "postgres://db.test/postern", CONTENT_KEY_FILE: "/nowhere/content-key" };
    expect(readDatabaseConfig(env).database.url).toBe("postgres://db.test/postern");
  });

  const unfit = [
    ["without an id", aSecret("").slice(1)],
    ["with an empty id", aSecret("")],
    ["with an id in capitals", aSecret("K1")],
    ["with too few bytes", aSecret().slice(0, -1)],
    ["with too many bytes", `${aSecret()}A`],
    ["in plain base64", `k1:${"+/".repeat(21)}A`],
    ["of 32 zero bytes", `k1:${Buffer.alloc(32).toString("base64url")}`],
    ["of one short pattern", `k1:${Buffer.from("changeme".repeat(4)).toString("base64url")}`],
  ] as const;

  test.for(unfit)("a secret %s is refused", ([, value]) => {
    for (const key of secretKeys) {
      expect(problemsOf({ [key]: value })).toEqual([expect.stringMatching(`^${key} must be <id>:<32 random bytes`)]);
    }
  });

  test.for(secretKeys)("two generations of %s under one id are refused", (key) => {
    expect(problemsOf({ [key]: aSecret("k7"), [`${key}_SECOND`]: aSecret("k7") })).toEqual([
      `${key} and ${key}_SECOND carry the same id; give each its own`,
    ]);
  });

  test.for(secretKeys)("the same %s under two ids is refused", (key) => {
    const [, text] = aSecret("k1").split(":");
    expect(problemsOf({ [key]: `k1:${text}`, [`${key}_SECOND`]: `k2:${text}` })).toEqual([
      `${key} and ${key}_SECOND are the same secret under two ids`,
    ]);
  });

  test("a printed configuration shows no secret", () => {
    const env = anEnvironment({ API_KEY_PEPPER_SECOND: aSecret("k2") });
    const config = readConfig(env);
    const printed = JSON.stringify(config) + inspect(config, { depth: null, showHidden: true });
    for (const key of [...secretKeys, "API_KEY_PEPPER_SECOND"]) {
      const text = env[key]?.slice(3) ?? "";
      const bytes = Buffer.from(text, "base64url");
      for (const form of [text, bytes.toString("hex"), bytes.toString("base64")]) expect(printed).not.toContain(form);
    }
  });

  test("an error about the configuration repeats no secret", () => {
    const [tooLong, repeated] = [`${aSecret()}AAAA`, aSecret()];
    const problems = problemsOf({
      DATABASE_URL: "mysql://postern:hunter2@db.test/postern",
      API_KEY_PEPPER: tooLong,
      CONTENT_KEY: repeated,
      CONTENT_KEY_SECOND: repeated,
      TOKEN_SIGNING_KEY_FILE: aFile("seventeen-wrong-bytes"),
    }).join("\n");
    for (const leak of ["hunter2", tooLong.slice(3), repeated.slice(3), "seventeen"]) {
      expect(problems).not.toContain(leak);
    }
  });
});

describe("the provider", () => {
  const endpointKeys = ["AWS_ENDPOINT_URL_SESV2", "AWS_ENDPOINT_URL_SNS", "AWS_ENDPOINT_URL_SQS"] as const;
  const none = Object.fromEntries(endpointKeys.map((key) => [key, undefined]));

  const amazon = [
    "https://email.eu-central-1.amazonaws.com",
    "https://email.cn-north-1.amazonaws.com.cn",
    "https://email.eu-central-1.api.aws",
  ];
  const strangers = [
    "http://127.0.0.1:4579",
    "https://mail.example.com",
    "http://email.eu-central-1.amazonaws.com",
    "https://amazonaws.com.evil.test",
    "https://email.amazonaws.com.evil.test",
    "https://evilamazonaws.com",
    "https://email.amazonaws.com@evil.test",
    "https://evil.test?.amazonaws.com",
    "https://evil.test#.amazonaws.com",
    "https://evil.test\\.amazonaws.com",
  ];

  test.for(strangers)("real mail never goes to %s", (endpoint) => {
    for (const key of endpointKeys) {
      expect(problemsOf({ ...none, POSTERN_PROVIDER: "ses", [key]: endpoint })).toEqual([
        `${key} is not an Amazon address; that is accepted only with POSTERN_PROVIDER=simulator`,
      ]);
    }
  });

  test.for(amazon)("real mail may go to %s, and simulated mail never does", (endpoint) => {
    for (const key of endpointKeys) {
      readConfig(anEnvironment({ ...none, POSTERN_PROVIDER: "ses", [key]: endpoint }));
      expect(problemsOf({ [key]: endpoint })).toEqual([`${key} names Amazon, but POSTERN_PROVIDER is simulator`]);
    }
  });

  test.for(endpointKeys)("the simulator is refused without %s, which would be Amazon's by default", (key) => {
    expect(problemsOf({ [key]: undefined })).toEqual([
      `${key} is missing: POSTERN_PROVIDER=simulator needs all three endpoints`,
    ]);
  });

  test("the general AWS_ENDPOINT_URL replaces none of the three and moves no real mail", () => {
    const general = { AWS_ENDPOINT_URL: "https://mail.example.com" };
    expect(problemsOf({ ...none, ...general })).toHaveLength(3);
    const { provider } = readConfig(anEnvironment({ ...none, ...general, POSTERN_PROVIDER: "ses" }));
    expect(provider.endpoints).toEqual({ ses: undefined, sns: undefined, sqs: undefined });
  });
});

describe("AWS_FEEDBACK_TOPIC_ARN", () => {
  test("may be left out; account and partition are then unknown", () => {
    const { provider } = readConfig(anEnvironment());
    expect(provider).toMatchObject({ feedbackTopicArn: undefined, awsAccountId: undefined, partition: undefined });
  });

  test.for([
    ["aws", "eu-central-1"],
    ["aws-cn", "cn-north-1"],
    ["aws-us-gov", "us-gov-west-1"],
  ])("tells the account and the partition %s", ([partition, region]) => {
    const arn = `arn:${partition}:sns:${region}:000000000042:postern-AA`;
    const { provider } = readConfig(anEnvironment({ AWS_REGION: region, AWS_FEEDBACK_TOPIC_ARN: arn }));
    expect(provider).toMatchObject({ feedbackTopicArn: arn, awsAccountId: "000000000042", partition });
  });

  const unfit = [
    "postern-AA",
    "arn:aws:sqs:eu-central-1:123456789012:postern-AA",
    "arn:aws:sns:eu-central-1:12345:postern-AA",
    "arn:aws:sns:eu-central-1:123456789012:postern-AA.fifo",
    "arn:aws:sns:eu-central-1:123456789012:postern-AA:6b0e71bd-7e97-4d97-80ce-4a0994e55286",
    " arn:aws:sns:eu-central-1:123456789012:postern-AA",
  ];
  test.for(unfit)("refuses %s, which is no topic SES can publish to", (arn) => {
    expect(problemsOf({ AWS_FEEDBACK_TOPIC_ARN: arn })).toEqual([
      "AWS_FEEDBACK_TOPIC_ARN must look like arn:aws:sns:eu-central-1:123456789012:postern-AA",
    ]);
  });

  test("refuses a topic of another region, next to all other problems", () => {
    const arn = "arn:aws:sns:us-east-1:123456789012:postern-AA";
    expect(problemsOf({ AWS_FEEDBACK_TOPIC_ARN: arn, PORT: "70000" })).toEqual([
      expect.stringMatching(/^PORT /),
      "AWS_FEEDBACK_TOPIC_ARN is a topic in us-east-1, but AWS_REGION is eu-central-1",
    ]);
  });
});

describe("AWS_FEEDBACK_QUEUE_URL", () => {
  const withSes = {
    POSTERN_PROVIDER: "ses",
    AWS_ENDPOINT_URL_SESV2: undefined,
    AWS_ENDPOINT_URL_SNS: undefined,
    AWS_ENDPOINT_URL_SQS: undefined,
  };

  test.for([
    ["eu-central-1", "https://sqs.eu-central-1.amazonaws.com/123456789012/postern-AA"],
    ["cn-north-1", "https://sqs.cn-north-1.amazonaws.com.cn/123456789012/postern-AA"],
  ])("names a queue of the region %s with SES", ([region, url]) => {
    const env = anEnvironment({ ...withSes, AWS_REGION: region, AWS_FEEDBACK_QUEUE_URL: url });
    expect(readConfig(env).provider.feedbackQueueUrl).toBe(url);
  });

  test.for([
    "http://sqs.eu-central-1.amazonaws.com/123456789012/postern-AA",
    "https://sqs.us-east-1.amazonaws.com/123456789012/postern-AA",
    "https://sqs.eu-central-1.amazonaws.com:8443/123456789012/postern-AA",
    "https://sqs.eu-central-1.amazonaws.com.evil.test/123456789012/postern-AA",
    "https://sqs.eu-central-1.amazonaws.com@evil.test/123456789012/postern-AA",
    "http://127.0.0.1:4579/123456789012/postern-AA",
  ])("with SES refuses %s, which is elsewhere", (url) => {
    expect(problemsOf({ ...withSes, AWS_FEEDBACK_QUEUE_URL: url })).toEqual([
      "AWS_FEEDBACK_QUEUE_URL must start with https://sqs.eu-central-1.amazonaws.com/, the queues of AWS_REGION",
    ]);
  });

  test("with the simulator is any address but Amazon's, and may be left out", () => {
    const url = "http://127.0.0.1:4579/000000000000/postern-AA";
    expect(readConfig(anEnvironment({ AWS_FEEDBACK_QUEUE_URL: url })).provider.feedbackQueueUrl).toBe(url);
    expect(readConfig(anEnvironment()).provider.feedbackQueueUrl).toBeUndefined();
    const amazon = "https://sqs.eu-central-1.amazonaws.com/123456789012/postern-AA";
    expect(problemsOf({ AWS_FEEDBACK_QUEUE_URL: amazon })).toEqual([
      "AWS_FEEDBACK_QUEUE_URL names Amazon, but POSTERN_PROVIDER is simulator",
    ]);
  });

  test.for(["postern-AA", "https://sqs.eu-central-1.amazonaws.com/12345/postern-AA", "https://x/123456789012/a.fifo"])(
    "refuses %s, which is no address of a queue",
    (url) => {
      expect(problemsOf({ AWS_FEEDBACK_QUEUE_URL: url })).toEqual([
        "AWS_FEEDBACK_QUEUE_URL must look like https://sqs.eu-central-1.amazonaws.com/123456789012/postern-AA",
      ]);
    },
  );
});

describe("TRUSTED_PROXIES", () => {
  test("takes addresses and ranges of both families, with spaces between them", () => {
    const { http } = readConfig(anEnvironment({ TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.7,::1,2001:db8::/32, " }));
    expect(http.trustedProxies).toEqual(["10.0.0.0/8", "192.0.2.7", "::1", "2001:db8::/32"]);
  });

  const unfit = [
    "true",
    "*",
    "loopback",
    "proxy.test",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0/8",
    "::1/129",
    "10.0.0.1/8/8",
  ];
  test.for(unfit)("refuses %s", (entry) => {
    expect(problemsOf({ TRUSTED_PROXIES: `10.0.0.1,${entry}` })).toEqual([
      `TRUSTED_PROXIES has "${entry}", which is neither an IP address nor a range such as 10.0.0.0/8`,
    ]);
  });
});

describe("DNS_SERVERS", () => {
  test("takes addresses of both families, with and without a port", () => {
    const text = "10.0.0.2, 10.0.0.3:5353,::1,[2001:db8::53]:5353, ";
    expect(readConfig(anEnvironment({ DNS_SERVERS: text })).dnsServers).toEqual([
      "10.0.0.2",
      "10.0.0.3:5353",
      "::1",
      "[2001:db8::53]:5353",
    ]);
  });

  const unfit = [
    "dns.test",
    "10.0.0.2:",
    "10.0.0.2:0",
    "10.0.0.2:65536",
    "10.0.0.256",
    "[10.0.0.2]:53",
    "[::1]",
    "[::1]:x",
  ];
  test.for(unfit)("refuses %s", (entry) => {
    expect(problemsOf({ DNS_SERVERS: `10.0.0.2,${entry}` })).toEqual([
      `DNS_SERVERS has "${entry}", which is not an IP address with or without a port, such as 10.0.0.2 or [::1]:53`,
    ]);
  });
});

/** The problems found in an environment that is right apart from these values. */
function problemsOf(overrides: Environment): string[] {
  try {
    readConfig(anEnvironment(overrides));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const problems = [...error.message.matchAll(/^ {2}- (.+)$/gm)].map(([, problem]) => problem ?? "");
    expect(error.message).toMatch(new RegExp(`^${problems.length} problems? in the configuration:`));
    return problems;
  }
  throw new Error("the configuration was accepted");
}

function aFile(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "postern-secret-")), "secret");
  writeFileSync(path, text);
  return path;
}
