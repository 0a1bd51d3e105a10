import { type Environment, environmentSchema } from "./environment-schema.ts";
import { isLoopback } from "./loopback.ts";
import { parameterOf } from "./postgres-url.ts";
import { secret } from "./secret.ts";

const endpointKeys = ["AWS_ENDPOINT_URL_SESV2", "AWS_ENDPOINT_URL_SNS", "AWS_ENDPOINT_URL_SQS"] as const;

/** Finds problems that involve more than one setting. Ignores settings that are invalid by themselves. */
export function findConflicts(given: Environment): string[] {
  return [
    ...findDatabaseConflicts(given),
    ...providerConflicts(given),
    ...topicConflicts(given),
    ...queueConflicts(given),
    ...rotationConflicts(given),
    ...inDoubtConflicts(given),
    ...retentionConflicts(given),
    ...oidcConflicts(given),
  ];
}

const urlKeys = ["DATABASE_URL", "DATABASE_DIRECT_URL"] as const;

/** A CA that no connection uses would look like protection. One URL may do without TLS, for a pooler on the same machine. */
export function findDatabaseConflicts(given: Environment): string[] {
  if (given.DATABASE_CA_FILE === undefined) return [];
  const urls = urlKeys.flatMap((key) => {
    const url = environmentSchema.shape[key].safeParse(given[key]).data;
    return url === undefined ? [] : [{ key, url, mode: parameterOf(url, "sslmode") }];
  });
  const problems = urls.flatMap(({ key, url, mode }) => {
    if (mode === "no-verify") return [`${key} has sslmode=no-verify, which ignores DATABASE_CA_FILE; use verify-full`];
    if (parameterOf(url, "sslrootcert") === undefined) return [];
    return [`${key} has sslrootcert, and DATABASE_CA_FILE is set; keep one of them`];
  });
  if (urls.length === 0 || urls.some(({ mode }) => mode !== "disable")) return problems;
  return [...problems, "DATABASE_CA_FILE is set, but DATABASE_URL has sslmode=disable; use verify-full"];
}

/** A typo in one variable must not send mail to a foreign server, and a test set-up must not send mail to real people. */
function providerConflicts(given: Environment): string[] {
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
function topicConflicts(given: Environment): string[] {
  const region = environmentSchema.shape.AWS_REGION.safeParse(given.AWS_REGION).data;
  const topic = environmentSchema.shape.AWS_FEEDBACK_TOPIC_ARN.safeParse(given.AWS_FEEDBACK_TOPIC_ARN).data;
  if (region === undefined || topic === undefined || topic.region === region) return [];
  return [`AWS_FEEDBACK_TOPIC_ARN is a topic in ${topic.region}, but AWS_REGION is ${region}`];
}

function queueConflicts(given: Environment): string[] {
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

function rotationConflicts(given: Environment): string[] {
  return ["API_KEY_PEPPER", "CONTENT_KEY", "TOKEN_SIGNING_KEY"].flatMap((key) => {
    const [first, second] = [secret.safeParse(given[key]).data, secret.safeParse(given[`${key}_SECOND`]).data];
    if (first === undefined || second === undefined) return [];
    if (second.id === first.id) return [`${key} and ${key}_SECOND carry the same id; give each its own`];
    return second.key.equals(first.key) ? [`${key} and ${key}_SECOND are the same secret under two ids`] : [];
  });
}

/**
 * The event of an accepted mail can arrive this long after the worker gave up on the submission: 15 s in which SES still works
 * on the request, 30 s until SQS redelivers what a crashed worker was reading, and 15 s on the way. A worker that waits less
 * submits a mail again that SES accepted. Only runs with the simulator, which reaches no real mailbox, may wait less.
 */
const minInDoubtSeconds = 60;

function inDoubtConflicts(given: Environment): string[] {
  const provider = environmentSchema.shape.POSTERN_PROVIDER.safeParse(given.POSTERN_PROVIDER).data;
  const seconds = environmentSchema.shape.IN_DOUBT_SECONDS.safeParse(given.IN_DOUBT_SECONDS).data;
  const maxSeconds = environmentSchema.shape.IN_DOUBT_MAX_SECONDS.safeParse(given.IN_DOUBT_MAX_SECONDS).data;
  if (provider !== "ses" || seconds === undefined || maxSeconds === undefined) return [];
  if (seconds < minInDoubtSeconds) {
    return [`IN_DOUBT_SECONDS must be at least ${minInDoubtSeconds}: with a shorter wait, mail goes out twice`];
  }
  if (maxSeconds >= seconds) return [];
  return [
    "IN_DOUBT_MAX_SECONDS must not be less than IN_DOUBT_SECONDS: the worker would stop waiting before it has evidence",
  ];
}

/** Content is of no use without the record of its send. */
function retentionConflicts(given: Environment): string[] {
  const records = environmentSchema.shape.RECORD_RETENTION_DAYS.safeParse(given.RECORD_RETENTION_DAYS).data;
  const contents = environmentSchema.shape.CONTENT_RETENTION_DAYS.safeParse(given.CONTENT_RETENTION_DAYS).data;
  if (records === undefined || contents === undefined || contents <= records) return [];
  return ["CONTENT_RETENTION_DAYS must not be more than RECORD_RETENTION_DAYS: the content goes with the record"];
}

const oidcKeys = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_MAPPING"] as const;

/** Half of a configuration would look like OIDC that does not work, or like none. */
function oidcConflicts(given: Environment): string[] {
  const set = oidcKeys.filter((key) => given[key] !== undefined);
  if (set.length === 0) return [];
  const missing = oidcKeys.filter((key) => given[key] === undefined);
  const problems = missing.map((key) => `${key} is missing: log-in by OIDC needs it beside ${set.join(", ")}`);
  const publicUrl = environmentSchema.shape.PUBLIC_URL.safeParse(given.PUBLIC_URL).data;
  if (publicUrl === undefined || canKeepCookies(publicUrl)) return problems;
  return [
    ...problems,
    "PUBLIC_URL must be an https address: log-in by OIDC needs cookies, and browsers keep them for https only",
  ];
}

function canKeepCookies(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === "https:" || isLoopback(hostname);
}

function isAmazon(endpoint: string): boolean {
  const { protocol, hostname } = new URL(endpoint);
  return protocol === "https:" && /\.(amazonaws\.com|amazonaws\.com\.cn|api\.aws)$/.test(hostname);
}
