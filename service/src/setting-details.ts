import type { environmentSchema } from "./environment-schema.ts";
import { exampleRules } from "./oidc-settings.ts";

export type SettingKey = keyof typeof environmentSchema.shape;

export type SettingGroup =
  | "Database and storage"
  | "HTTP and logs"
  | "Installation"
  | "Delivery"
  | "Feedback"
  | "Log-in by OIDC"
  | "Domains"
  | "Webhooks"
  | "Provider"
  | "Secrets";

export interface SettingDetails {
  group: SettingGroup;
  /** The processes and commands that act on the value. A process needs only its own secrets. */
  usedBy: ("API" | "worker" | "migrate" | "admin" | "status" | "aws")[];
  unit?: "seconds" | "days" | "MiB" | "GB";
  /** What to know beyond the description in `environment-schema.ts`, in full sentences. */
  note?: string;
  /** The default in words, where the schema has none. */
  defaultText?: string;
  /** For `.env.example`, where the schema has no default. */
  example?: string;
}

const exampleSecret = "k20270115:put-43-characters-of-base64url-here";

/** Completes `environment-schema.ts` for people. `npm run docs` writes `.env.example` and docs/reference/settings.md from both. */
export const settingDetails: Record<SettingKey, SettingDetails> = {
  DATABASE_URL: {
    group: "Database and storage",
    usedBy: ["API", "worker", "migrate", "admin", "status"],
    note: "With several hosts (host1:5432,host2:5432), each new connection goes to the one that accepts writes.",
    example: "postgres://postern:secret@localhost:5432/postern",
  },
  DATABASE_DIRECT_URL: {
    group: "Database and storage",
    usedBy: ["API", "worker", "migrate", "admin", "status"],
    defaultText: "DATABASE_URL",
    note: "Set it when DATABASE_URL leads to PgBouncer, and run migrate, which then stores the session settings with the role. See docs/pooler.md.",
    example: "postgres://postern:secret@localhost:5432/postern",
  },
  DATABASE_CA_FILE: {
    group: "Database and storage",
    usedBy: ["API", "worker", "migrate", "admin", "status"],
    defaultText: "the CAs that Node knows",
    note: "Applies to both URLs, with sslmode=verify-full unless a URL has another sslmode. A process reads the file when it starts.",
    example: "/etc/ssl/certs/database-ca.pem",
  },
  DATABASE_POOL_SIZE: {
    group: "Database and storage",
    usedBy: ["API", "worker"],
    note: "An API opens up to 8 more (4 of them only for accepting), a worker up to 15 more (5 of them only for webhooks).",
  },
  DATABASE_DISK_GB: {
    group: "Database and storage",
    usedBy: ["API", "worker", "status"],
    unit: "GB",
    defaultText: "none, and then Postern does not say when the disk is full",
    note: "Postern warns 14 days ahead. Leave room for the WAL and for other databases on the disk. A GB has 1,000,000,000 bytes.",
    example: "100",
  },
  PARTITION_SPAN: {
    group: "Database and storage",
    usedBy: ["worker", "migrate"],
    note: "Choose week for 1,000 sends a second and more. You can change it at any time; it applies to partitions created afterwards.",
  },
  AUDIT_RETENTION_DAYS: {
    group: "Database and storage",
    usedBy: ["worker"],
    unit: "days",
    note: "Workers drop whole months, up to a month and an hour after the retention of their entries has ended.",
  },
  CONTENT_RETENTION_DAYS: {
    group: "Database and storage",
    usedBy: ["worker"],
    unit: "days",
    note: "A worker drops the content within the week after that, or when the send is final if that is later. The record of a send stays.",
  },
  RECORD_RETENTION_DAYS: {
    group: "Database and storage",
    usedBy: ["worker"],
    unit: "days",
    defaultText: "none, and then the record is permanent",
    note: "Workers drop whole months (UTC) of sends and events that are older. Idempotency keys end with their send. Dropped records cannot be restored.",
    example: "400",
  },
  ATTACHMENT_MEBIBYTES: {
    group: "Database and storage",
    usedBy: ["API"],
    unit: "MiB",
    note: "0 refuses attachments. SES delivers mails above 10 MB more slowly, and many recipients refuse them.",
  },
  CONTENT_VIEW: {
    group: "Database and storage",
    usedBy: ["API"],
    note: "With off, the routes that show what was sent answer 403. Each read is in the audit of the account.",
  },
  HOST: { group: "HTTP and logs", usedBy: ["API"], note: "In a container: 0.0.0.0." },
  PORT: { group: "HTTP and logs", usedBy: ["API"] },
  OPERATIONS_HOST: {
    group: "HTTP and logs",
    usedBy: ["API", "worker"],
    note: "They need no credentials, so keep them off public networks.",
  },
  OPERATIONS_PORT: {
    group: "HTTP and logs",
    usedBy: ["API", "worker"],
    defaultText: "3001 for the API and `postern serve`, 3002 for the worker",
    example: "3001",
  },
  DRAIN_SECONDS: {
    group: "HTTP and logs",
    usedBy: ["API"],
    unit: "seconds",
    note: "Choose more than the proxy needs to notice: the interval of its health check times the failures it wants. Ctrl-C does not wait.",
  },
  PUBLIC_URL: {
    group: "HTTP and logs",
    usedBy: ["API"],
    defaultText: "http://localhost and PORT",
    note: "Set it in production, with the same value for all processes. Changing it makes access tokens invalid.",
    example: "https://mail.example.com",
  },
  TRUSTED_PROXIES: {
    group: "HTTP and logs",
    usedBy: ["API"],
    defaultText: "none",
    note: "Separate them by commas. Behind a proxy, set it to the proxy's address: otherwise all callers share that address, and 50 wrong passwords lock out everyone.",
    example: "10.0.0.0/8,192.168.1.7",
  },
  API_REFERENCE: { group: "HTTP and logs", usedBy: ["API"] },
  LOG_LEVEL: { group: "HTTP and logs", usedBy: ["API", "worker"], note: "The last value switches the log off." },
  CELL_CODE: {
    group: "Installation",
    usedBy: ["API", "worker", "admin", "aws"],
    note: "Two characters of A-Z a-z 0-9 - _. Do not change it once in use.",
  },
  DELIVERY_SLOTS: {
    group: "Delivery",
    usedBy: ["worker"],
    note: "The rate that SES allows decides how fast sends go out.",
  },
  DELIVERY_MEBIBYTES: {
    group: "Delivery",
    usedBy: ["worker"],
    unit: "MiB",
    note: "A worker submits a larger mail alone. It needs several times this memory, because it opens and encodes the content.",
  },
  GIVE_UP_AFTER_SECONDS: {
    group: "Delivery",
    usedBy: ["worker"],
    unit: "seconds",
    note: "Time on hold (quota, paused account) does not count.",
  },
  IN_DOUBT_SECONDS: {
    group: "Delivery",
    usedBy: ["worker"],
    unit: "seconds",
    note: "With SES at least 60, and a worker warns below 120: an event can arrive that late, and with a shorter wait a send may go out twice. Only the simulator permits less.",
  },
  IN_DOUBT_MAX_SECONDS: {
    group: "Delivery",
    usedBy: ["worker"],
    unit: "seconds",
    note: "Not less than IN_DOUBT_SECONDS.",
  },
  IN_DOUBT_POLICY: {
    group: "Delivery",
    usedBy: ["worker"],
    note: "With resend the mail may arrive twice; with fail it may not arrive at all.",
  },
  FEEDBACK_GAP_SECONDS: {
    group: "Feedback",
    usedBy: ["API", "worker", "status"],
    unit: "seconds",
    note: "The same limit applies to a queue of events that no worker can read.",
  },
  FEEDBACK_PUSH: {
    group: "Feedback",
    usedBy: ["API"],
    defaultText: "on without AWS_FEEDBACK_QUEUE_URL, otherwise off",
    note: "Anyone can post to this endpoint, so open it only if SNS uses it. See docs/feedback.md.",
    example: "on",
  },
  SYSTEM_SENDER: {
    group: "Installation",
    usedBy: ["API", "worker"],
    defaultText: "no notices",
    note: "Its domain must be verified for an account of this installation, whose live mail the notices are. The API mails the links of invitations and password resets; without a sender, the response to an invitation contains its link, and the operator resets passwords with `postern admin reset-password`. Notices report an account that the guard holds, a domain whose records are missing for an hour, an API key that expires within 7 days and within one day, and a webhook that has failed for a day or that Postern disabled.",
    example: "Postern <postern@mail.acme.io>",
  },
  OPERATOR_EMAIL: {
    group: "Installation",
    usedBy: ["worker"],
    defaultText: "no notices to the operator",
    note: "Needs SYSTEM_SENDER.",
    example: "operator@acme.io",
  },
  OIDC_ISSUER: {
    group: "Log-in by OIDC",
    usedBy: ["API"],
    defaultText: "no log-in by OIDC",
    note: "Exactly as the issuer calls itself in its discovery document, with or without a slash at the end. See docs/people.md.",
    example: "https://login.example.com",
  },
  OIDC_CLIENT_ID: {
    group: "Log-in by OIDC",
    usedBy: ["API"],
    defaultText: "none",
    note: "Register the redirect address PUBLIC_URL followed by /api/v1/auth/oidc/callback at the issuer.",
    example: "postern",
  },
  OIDC_CLIENT_SECRET: { group: "Log-in by OIDC", usedBy: ["API"], defaultText: "none", example: "from-the-issuer" },
  OIDC_MAPPING: {
    group: "Log-in by OIDC",
    usedBy: ["API"],
    defaultText: "none",
    note: "A JSON list of rules with claim, value, account and role (viewer or developer). A rule applies when the claim of the ID token is the value or a list that contains it. Without a rule that applies, Postern refuses the log-in.",
    example: exampleRules,
  },
  OIDC_SCOPES: {
    group: "Log-in by OIDC",
    usedBy: ["API"],
    note: "Some issuers send groups or roles only with a scope of their own, such as groups.",
  },
  DNS_SERVERS: {
    group: "Domains",
    usedBy: ["API", "worker"],
    defaultText: "the resolvers of the system",
    note: "Workers also find the endpoints of webhooks with them. IP addresses with or without a port, separated by commas; IPv6 addresses with a port in brackets.",
    example: "10.0.0.2,[2001:db8::53]:5353",
  },
  WEBHOOK_PORTS: {
    group: "Webhooks",
    usedBy: ["API", "worker"],
    note: "Ports separated by commas. `postern admin webhook-networks` allows an account addresses that are not public.",
  },
  POSTERN_PROVIDER: {
    group: "Provider",
    usedBy: ["API", "worker", "aws"],
    note: "The database keeps the first choice for good.",
  },
  SES_TENANTS: {
    group: "Provider",
    usedBy: ["worker", "aws"],
    note: "SES then measures and pauses each account apart. Use prepare first: workers make the tenants, and mail goes out as before. With on, mail of a domain waits until its tenant is ready. See docs/domains.md.",
  },
  AWS_REGION: { group: "Provider", usedBy: ["API", "worker", "aws"], example: "eu-central-1" },
  AWS_ENDPOINT_URL_SESV2: {
    group: "Provider",
    usedBy: ["API", "worker", "aws"],
    defaultText: "Amazon's endpoint of the region",
    note: "The simulator needs all three endpoints.",
    example: "http://127.0.0.1:4579",
  },
  AWS_ENDPOINT_URL_SNS: {
    group: "Provider",
    usedBy: ["API", "aws"],
    defaultText: "Amazon's endpoint of the region",
    example: "http://127.0.0.1:4579",
  },
  AWS_ENDPOINT_URL_SQS: {
    group: "Provider",
    usedBy: ["worker", "aws"],
    defaultText: "Amazon's endpoint of the region",
    example: "http://127.0.0.1:4579",
  },
  AWS_FEEDBACK_TOPIC_ARN: {
    group: "Provider",
    usedBy: ["API", "worker", "aws"],
    defaultText: "none, and then Postern sends no live mail and registers no domains",
    note: "`npx postern aws setup` creates the topic and prints this setting.",
    example: "arn:aws:sns:eu-central-1:123456789012:postern-AA",
  },
  AWS_FEEDBACK_QUEUE_URL: {
    group: "Provider",
    usedBy: ["API", "worker", "status", "aws"],
    defaultText: "none, and then SNS has to push events to the API",
    note: "The worker reads it. `npx postern aws setup` creates the queue and prints this setting. See docs/feedback.md.",
    example: "https://sqs.eu-central-1.amazonaws.com/123456789012/postern-AA",
  },
  API_KEY_PEPPER: {
    group: "Secrets",
    usedBy: ["API", "admin"],
    note: "Of the admin commands, only those that create an API key need it.",
  },
  API_KEY_PEPPER_SECOND: { group: "Secrets", usedBy: ["API"], example: exampleSecret },
  CONTENT_KEY: { group: "Secrets", usedBy: ["API", "worker"] },
  CONTENT_KEY_SECOND: { group: "Secrets", usedBy: ["API", "worker"], example: exampleSecret },
  TOKEN_SIGNING_KEY: {
    group: "Secrets",
    usedBy: ["API"],
    note: "The key of refresh tokens is derived from it.",
  },
  TOKEN_SIGNING_KEY_SECOND: { group: "Secrets", usedBy: ["API"], example: exampleSecret },
};
