import type { Fault } from "../../../ses-simulator/src/faults/fault.ts";
import type { SesErrorName } from "../../../ses-simulator/src/ses/ses-error.ts";

/** A row of the table of provider answers in docs/send-lifecycle.md. The four before the last are holds. */
export type Outcome =
  | "sent"
  | "rejected"
  | "too-large"
  | "sandboxed"
  | "domain"
  | "throttled"
  | "try-later"
  | "in-doubt"
  | "quota"
  | "paused"
  | "suspended"
  | "operator"
  | "denied";

/** What makes a submission fail. */
export type Cause =
  /** A rule of the simulator for mail of one domain. `isUnanswered`: the provider times out before an answer arrives. */
  | { by: "rule"; fault: object; isUnanswered?: boolean }
  /** A state of the whole AWS account. */
  | { by: "account"; change: object; isDomainUnknown?: boolean }
  /** The simulator does not know the domain, or its configuration set. */
  | { by: "unknown-domain" }
  | { by: "unknown-set" }
  /** An intermediary between us and SES answers. */
  | { by: "intermediary"; status: number; body: string }
  /** No server answers at this URL. */
  | { by: "endpoint"; url: string };

export interface FaultCase {
  name: string;
  cause: Cause;
  outcome: Outcome;
  /** Whether SES accepts the mail despite the fault. */
  isAccepted: boolean;
}

type SesFaultKind = Exclude<Fault["kind"], "error" | "wrong-md5" | "duplicate-receive" | "partial-failure">;

const tooLarge = "Message length is more than 41943040 bytes long: '41943041'.";
const dailyQuota = "Daily message quota exceeded.";
const denial =
  "User: arn:aws:iam::000000000000:user/postern is not authorized to perform: ses:SendEmail on resource: " +
  "arn:aws:ses:eu-west-1:000000000000:identity/shop.test with an explicit deny in a service control policy";
const sendRate = "Maximum sending rate exceeded.";

/** Every simulator fault that applies to SendEmail; the compiler reports a missing one. */
const faults: Record<SesFaultKind, [members: object, Outcome, isAccepted: boolean][]> = {
  "reset-before-accept": [[{}, "in-doubt", false]],
  "accept-then-reset": [[{}, "in-doubt", true]],
  hang: [[{}, "in-doubt", false]],
  "accept-then-hang": [[{}, "in-doubt", true]],
  "slow-body": [
    [{ seconds: 60 }, "in-doubt", true],
    [{ seconds: 0.1 }, "sent", true],
  ],
  "http-error": [500, 502, 503, 504].flatMap((status) =>
    [true, false].flatMap((errorType) =>
      [true, false].map((accepted): [object, Outcome, boolean] => [
        { status, errorType, accepted },
        "in-doubt",
        accepted,
      ]),
    ),
  ),
  "access-denied": [[{}, "denied", false]],
  "daily-quota": [
    [{ form: "throttling" }, "quota", false],
    [{ form: "limit-exceeded" }, "quota", false],
  ],
  garbage: [
    [{ accepted: true }, "in-doubt", true],
    [{ accepted: false }, "in-doubt", false],
  ],
  "empty-object": [
    [{ accepted: true }, "in-doubt", true],
    [{ accepted: false }, "in-doubt", false],
  ],
  "clock-skew": [[{}, "operator", false]],
};

/** Every named SES error, with the messages that change its meaning; the compiler reports a missing one. */
const errors: Record<SesErrorName, [Outcome, message?: string][]> = {
  AccessDeniedException: [["operator"], ["denied", denial]],
  AccountSuspendedException: [["suspended"]],
  AlreadyExistsException: [["try-later"]],
  BadRequestException: [["rejected"], ["too-large", tooLarge], ["rejected", `Illegal address: <${dailyQuota}>`]],
  ConcurrentModificationException: [["in-doubt"]],
  ConflictException: [["try-later"]],
  ExpiredTokenException: [["operator"]],
  InternalServiceErrorException: [["in-doubt"]],
  InvalidNextTokenException: [["try-later"]],
  InvalidSignatureException: [["operator"]],
  LimitExceededException: [["quota"], ["quota", dailyQuota], ["throttled", sendRate]],
  MailFromDomainNotVerifiedException: [["try-later"]],
  MessageRejected: [["rejected"], ["too-large", tooLarge], ["rejected", dailyQuota]],
  MissingAuthenticationTokenException: [["operator"]],
  NotFoundException: [["denied"]],
  RequestExpired: [["operator"]],
  SendingPausedException: [["paused"]],
  ThrottlingException: [["throttled"], ["quota", dailyQuota]],
  TooManyRequestsException: [["throttled"], ["throttled", sendRate], ["quota", dailyQuota]],
  UnknownOperationException: [["operator"]],
  UnrecognizedClientException: [["operator"]],
};

/** An answer without an SES error body proves nothing, except a status that is unambiguous by itself. */
const intermediaryAnswers: [status: number, body: string, Outcome][] = [
  [200, "", "in-doubt"],
  [301, "", "in-doubt"],
  [400, "<html>", "in-doubt"],
  [403, "<html>", "in-doubt"],
  [404, "", "in-doubt"],
  [413, "<html>", "too-large"],
  [429, "<html>", "throttled"],
];

const byAccount: [name: string, change: object, Outcome, isDomainUnknown?: boolean][] = [
  ["sending paused", { sendingEnabled: false }, "paused"],
  ["account shut down", { enforcementStatus: "SHUTDOWN" }, "suspended"],
  ["daily quota used up", { max24HourSend: 0 }, "quota"],
  ["SES sandbox, recipient not verified", { productionAccess: false }, "sandboxed"],
  ["SES sandbox, neither sender nor recipient verified", { productionAccess: false }, "domain", true],
];

/** A DNS label of 64 characters is invalid, so the resolver fails without a query. */
const unresolvableUrl = `http://${"a".repeat(64)}.test`;

export const faultCases: FaultCase[] = [
  ...Object.entries(faults).flatMap(([kind, variants]) =>
    variants.map(([members, outcome, isAccepted]): FaultCase => {
      const isUnanswered = outcome === "in-doubt" && ["hang", "accept-then-hang", "slow-body"].includes(kind);
      const cause: Cause = { by: "rule", fault: { kind, ...members }, isUnanswered };
      return { name: `${kind} ${JSON.stringify(members)}`, cause, outcome, isAccepted };
    }),
  ),
  ...Object.entries(errors).flatMap(([name, variants]) =>
    variants.map(([outcome, message]): FaultCase => {
      const fault = { kind: "error", name, ...(message !== undefined && { message }) };
      return { name: `${name} ${message ?? ""}`, cause: { by: "rule", fault }, outcome, isAccepted: false };
    }),
  ),
  ...intermediaryAnswers.map(
    ([status, body, outcome]): FaultCase => ({
      name: `intermediary answers ${status} ${body}`,
      cause: { by: "intermediary", status, body },
      outcome,
      isAccepted: false,
    }),
  ),
  { name: "sender domain not verified", cause: { by: "unknown-domain" }, outcome: "domain", isAccepted: false },
  { name: "no such configuration set", cause: { by: "unknown-set" }, outcome: "denied", isAccepted: false },
  {
    name: "connection refused",
    cause: { by: "endpoint", url: "http://127.0.0.1:1" },
    outcome: "try-later",
    isAccepted: false,
  },
  { name: "no such host", cause: { by: "endpoint", url: unresolvableUrl }, outcome: "try-later", isAccepted: false },
  ...byAccount.map(
    ([name, change, outcome, isDomainUnknown = false]): FaultCase => ({
      name,
      cause: { by: "account", change, isDomainUnknown },
      outcome,
      isAccepted: false,
    }),
  ),
];

/** Resets every state that the account causes change. */
export const healthyAccount = {
  sendingEnabled: true,
  enforcementStatus: "HEALTHY",
  max24HourSend: -1,
  productionAccess: true,
};

export function isKnownToSes({ cause }: FaultCase): boolean {
  return cause.by !== "unknown-domain" && !(cause.by === "account" && cause.isDomainUnknown === true);
}
