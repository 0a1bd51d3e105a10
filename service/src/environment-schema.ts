import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { z } from "zod";
import { parseAddress, parseMailbox } from "./mail-address.ts";
import { claimRules, clientSecret, issuerUrl, scopes } from "./oidc-settings.ts";
import { problemOfUrl } from "./postgres-url.ts";
import { secret } from "./secret.ts";

export type Environment = Record<string, string | undefined>;

const port = wholeNumber(0, 65_535);
const optional = <Schema extends z.ZodType>(schema: Schema) => schema.optional();

const postgresUrl = z.string().superRefine((value, context) => {
  const problem = problemOfUrl(value);
  if (problem !== undefined) context.addIssue(problem);
});
const certificateFile = z.string().superRefine((path, context) => {
  const problem = problemOfCertificateFile(path);
  if (problem !== undefined) context.addIssue(problem);
});
const httpUrl = z.string().refine((value) => /^https?:\/\/[^/]+$/.test(value) && URL.canParse(value), {
  error: "must be an http or https address without a path, such as https://mail.acme.io or http://127.0.0.1:4579",
});

/** Also provides the AWS account and partition, which have no setting. SES cannot publish to a FIFO topic. */
const topicArn = z.string().transform((value, context) => {
  const parts = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z0-9-]+):(\d{12}):[A-Za-z0-9_-]{1,256}$/.exec(value);
  const [arn = "", partition = "", region = "", accountId = ""] = parts ?? [];
  if (parts === null) context.addIssue("must look like arn:aws:sns:eu-central-1:123456789012:postern-AA");
  return { arn, partition, region, accountId };
});

/** Identifies the queue; requests go to the SQS endpoint. */
const queueUrl = z
  .string()
  .refine((value) => /^https?:\/\/[^/]+\/\d{12}\/[A-Za-z0-9_-]{1,80}$/.test(value) && URL.canParse(value), {
    error: "must look like https://sqs.eu-central-1.amazonaws.com/123456789012/postern-AA",
  });

const mailbox = z.string().transform((value, context) => {
  const parsed = parseMailbox(value);
  if ("problem" in parsed) context.addIssue(parsed.problem);
  return parsed;
});

const mailAddress = z.string().transform((value, context) => {
  const parsed = parseAddress(value);
  if ("problem" in parsed) context.addIssue(parsed.problem);
  return parsed;
});

const proxies = z.string().transform((value, context): string[] => {
  const entries = value.split(",").map((entry) => entry.trim());
  const listed = entries.filter((entry) => entry !== "");
  for (const entry of listed.filter((candidate) => !isAddressRange(candidate))) {
    context.addIssue(`has "${entry}", which is neither an IP address nor a range such as 10.0.0.0/8`);
  }
  return listed;
});

const dnsServers = z.string().transform((value, context): string[] => {
  const entries = value.split(",").map((entry) => entry.trim());
  const listed = entries.filter((entry) => entry !== "");
  for (const entry of listed.filter((candidate) => !isServerAddress(candidate))) {
    context.addIssue(`has "${entry}", which is not an IP address with or without a port, such as 10.0.0.2 or [::1]:53`);
  }
  return listed;
});

const ports = z.string().transform((value, context): number[] | "any" => {
  if (value.trim() === "any") return "any";
  const entries = value.split(",").map((entry) => entry.trim());
  for (const entry of entries.filter((candidate) => !isPort(candidate))) {
    context.addIssue(`has "${entry}", which is not a port from 1 to 65535; give ports separated by commas, or any`);
  }
  return entries.map(Number);
});

/** Of a command that calls the API like a customer, on a machine without the settings of the installation. */
export const callerSchema = z.object({
  POSTERN_URL: httpUrl.default("http://127.0.0.1:3000").describe("address of the API"),
  POSTERN_API_KEY: z.string().describe("a key with the scopes webhooks and read"),
});

/** Every setting with its meaning. `setting-details.ts` adds what documents need. */
export const environmentSchema = z.object({
  DATABASE_URL: postgresUrl.describe("PostgreSQL 15 or newer, the only server Postern needs"),
  DATABASE_DIRECT_URL: optional(postgresUrl).describe(
    "the same database without PgBouncer, for migrations, commands, LISTEN and locks",
  ),
  DATABASE_CA_FILE: optional(certificateFile).describe("file with the CA certificate of PostgreSQL, for TLS"),
  DATABASE_POOL_SIZE: wholeNumber(1, 200)
    .default(10)
    .describe("connections per process, beside those with a fixed number"),
  DATABASE_DISK_GB: optional(wholeNumber(1, 1_000_000)).describe("disk space that the database may fill"),
  PARTITION_SPAN: oneOf("month", "week").default("month").describe("time span of a partition of sends and events"),
  AUDIT_RETENTION_DAYS: wholeNumber(30, 3650).default(400).describe("how long Postern keeps the audit of an account"),
  CONTENT_RETENTION_DAYS: wholeNumber(7, 1095).default(30).describe("how long Postern keeps the content of mails"),
  RECORD_RETENTION_DAYS: optional(wholeNumber(60, 3650)).describe("how long Postern keeps the record of sends"),
  ATTACHMENT_MEBIBYTES: wholeNumber(0, 25).default(10).describe("attachments of one mail, decoded"),
  CONTENT_VIEW: oneOf("on", "off").default("on").describe("whether the API shows the content of mails to accounts"),
  HOST: z.string().default("127.0.0.1").describe("address the API listens on"),
  PORT: port.default(3000).describe("port of the API"),
  OPERATIONS_HOST: z.string().default("127.0.0.1").describe("address of /metrics and the health details"),
  OPERATIONS_PORT: optional(port).describe("port of /metrics and the health details"),
  DRAIN_SECONDS: wholeNumber(0, 15)
    .default(5)
    .describe("how long an API serves on after SIGTERM while /readyz reports that it is not ready"),
  PUBLIC_URL: optional(httpUrl).describe("address at which callers reach the API; issuer of its tokens"),
  TRUSTED_PROXIES: proxies.default([]).describe("addresses and ranges of proxies whose X-Forwarded-For is trusted"),
  API_REFERENCE: oneOf("on", "off").default("on").describe("interactive documentation at /reference"),
  LOG_LEVEL: oneOf("debug", "info", "warn", "error", "silent")
    .default("info")
    .describe("least severe level that is logged"),
  CELL_CODE: z
    .string()
    .regex(/^[A-Za-z0-9_-]{2}$/, "must be two characters of A-Z a-z 0-9 - _")
    .default("AA")
    .describe("identifies this installation inside keys and tokens"),
  DELIVERY_SLOTS: wholeNumber(1, 400).default(100).describe("submissions a worker runs concurrently"),
  DELIVERY_MEBIBYTES: wholeNumber(1, 4_096).default(64).describe("content of live mail a worker has in memory"),
  GIVE_UP_AFTER_SECONDS: wholeNumber(60, 604_800)
    .default(86_400)
    .describe("how long a worker retries a send that SES does not accept"),
  IN_DOUBT_SECONDS: wholeNumber(1, 86_400)
    .default(120)
    .describe("how long to wait for SES events about a submission with an unknown outcome"),
  IN_DOUBT_MAX_SECONDS: wholeNumber(1, 604_800)
    .default(3_600)
    .describe("the longest wait for evidence about a submission with an unknown outcome"),
  IN_DOUBT_POLICY: oneOf("resend", "fail")
    .default("resend")
    .describe("how a send with an unknown outcome ends without evidence"),
  FEEDBACK_GAP_SECONDS: wholeNumber(60, 604_800)
    .default(900)
    .describe("how long SES events may be missing for submitted mail before Postern reports a problem"),
  FEEDBACK_PUSH: optional(oneOf("on", "off")).describe("whether the API receives the events that SNS pushes"),
  SYSTEM_SENDER: optional(mailbox).describe("sender of notices, invitations and password resets"),
  OPERATOR_EMAIL: optional(mailAddress).describe("address that receives the notices for the operator"),
  OIDC_ISSUER: optional(issuerUrl).describe("OpenID Connect issuer at which people can log in"),
  OIDC_CLIENT_ID: optional(z.string().max(500)).describe("client id of this installation at the issuer"),
  OIDC_CLIENT_SECRET: optional(clientSecret).describe("client secret of this installation at the issuer"),
  OIDC_MAPPING: optional(claimRules).describe("which claims make a person a member of which account"),
  OIDC_SCOPES: scopes.default("openid email").describe("scopes that Postern requests from the issuer"),
  DNS_SERVERS: dnsServers.default([]).describe("recursive resolvers that check the records of domains"),
  WEBHOOK_PORTS: ports.prefault("443").describe("ports to which webhooks may go, or any"),
  POSTERN_PROVIDER: oneOf("ses", "simulator").default("ses").describe("real Amazon SES, or ses-simulator"),
  SES_TENANTS: oneOf("off", "prepare", "on")
    .default("off")
    .describe("whether each account sends as its own SES tenant"),
  AWS_REGION: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "must look like eu-central-1")
    .describe("region of SES"),
  AWS_ENDPOINT_URL_SESV2: optional(httpUrl).describe("SES endpoint; only needed with the simulator"),
  AWS_ENDPOINT_URL_SNS: optional(httpUrl).describe("SNS endpoint; only needed with the simulator"),
  AWS_ENDPOINT_URL_SQS: optional(httpUrl).describe("SQS endpoint; only needed with the simulator"),
  AWS_FEEDBACK_TOPIC_ARN: optional(topicArn).describe("SNS topic to which SES publishes its events"),
  AWS_FEEDBACK_QUEUE_URL: optional(queueUrl).describe("SQS queue that the topic delivers to"),
  API_KEY_PEPPER: secret.describe("key of the stored hashes of API keys"),
  API_KEY_PEPPER_SECOND: optional(secret).describe("second accepted pepper while rotating"),
  CONTENT_KEY: secret.describe("encrypts the content of mails at rest"),
  CONTENT_KEY_SECOND: optional(secret).describe("second accepted content key while rotating"),
  TOKEN_SIGNING_KEY: secret.describe("Ed25519 seed that signs access tokens"),
  TOKEN_SIGNING_KEY_SECOND: optional(secret).describe("second accepted signing key while rotating"),
});

function problemOfCertificateFile(path: string): string | undefined {
  try {
    const { fingerprint256 } = new X509Certificate(readFileSync(path));
    return fingerprint256 === "" ? "names a certificate without a key" : undefined;
  } catch (error) {
    const isRead = !(error instanceof Error && "syscall" in error);
    return isRead ? "must name a file with a certificate in PEM format" : "names a file that cannot be read";
  }
}

function isPort(entry: string): boolean {
  return /^[1-9]\d{0,4}$/.test(entry) && Number(entry) <= 65_535;
}

function isServerAddress(entry: string): boolean {
  if (isIP(entry) !== 0) return true;
  const [, ipv6, ipv4 = "", digits] = /^(?:\[(.+)\]|([^:]+)):(\d+)$/.exec(entry) ?? [];
  const isAddress = ipv6 === undefined ? isIP(ipv4) === 4 : isIP(ipv6) === 6;
  return isAddress && Number(digits) >= 1 && Number(digits) <= 65_535;
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

function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
}

function oneOf<const Words extends [string, string, ...string[]]>(...words: Words) {
  const error = `must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
  return z.enum(words, { error });
}
