import type { Fault } from "../../ses-simulator/src/faults/fault.ts";
import type { SesErrorName } from "../../ses-simulator/src/ses/ses-error.ts";

/** A row of "What the provider's answer leads to" in docs/send-lifecycle.md, in a word. The last four are holds. */
export type Conclusion =
  | "sent"
  | "rejected"
  | "too-large"
  | "sandboxed"
  | "domain"
  | "throttled"
  | "later"
  | "doubt"
  | "quota"
  | "paused"
  | "suspended"
  | "operator";

/** What makes a hand-over go wrong. */
export type Cause =
  /** A rule of the simulator for mail of one domain. `isSilent`: no answer comes before we give up. */
  | { by: "rule"; fault: object; isSilent?: boolean }
  /** The AWS account as a whole. */
  | { by: "account"; change: object; isDomainUnknown?: boolean }
  /** The simulator does not know the domain, or its configuration set. */
  | { by: "unknown-domain" }
  | { by: "unknown-set" }
  /** Something between us and SES answers. */
  | { by: "go-between"; status: number; body: string }
  /** Nobody is there. */
  | { by: "endpoint"; url: string };

export interface BadDay {
  name: string;
  cause: Cause;
  leadsTo: Conclusion;
  /** Whether SES has the mail all the same. */
  isAccepted: boolean;
}

type SesFaultKind = Exclude<Fault["kind"], "error" | "wrong-md5" | "duplicate-receive" | "partial-failure">;

const tooLarge = "Message length is more than 41943040 bytes long: '41943041'.";
const dailyQuota = "Daily message quota exceeded.";
const sendRate = "Maximum sending rate exceeded.";

/** Every fault of the simulator that SendEmail can meet; the compiler asks for one that is missing. */
const faults: Record<SesFaultKind, [members: object, Conclusion, isAccepted: boolean][]> = {
  "reset-before-accept": [[{}, "doubt", false]],
  "accept-then-reset": [[{}, "doubt", true]],
  hang: [[{}, "doubt", false]],
  "accept-then-hang": [[{}, "doubt", true]],
  "slow-body": [
    [{ seconds: 60 }, "doubt", true],
    [{ seconds: 0.1 }, "sent", true],
  ],
  "http-error": [500, 502, 503, 504].flatMap((status) =>
    [true, false].flatMap((errorType) =>
      [true, false].map((accepted): [object, Conclusion, boolean] => [
        { status, errorType, accepted },
        "doubt",
        accepted,
      ]),
    ),
  ),
  "daily-quota": [
    [{ form: "throttling" }, "quota", false],
    [{ form: "limit-exceeded" }, "quota", false],
  ],
  garbage: [
    [{ accepted: true }, "doubt", true],
    [{ accepted: false }, "doubt", false],
  ],
  "empty-object": [
    [{ accepted: true }, "doubt", true],
    [{ accepted: false }, "doubt", false],
  ],
  "clock-skew": [[{}, "operator", false]],
};

/** Every error SES has a name for, with the texts that change its meaning; the compiler asks for one that is missing. */
const errors: Record<SesErrorName, [Conclusion, message?: string][]> = {
  AccessDeniedException: [["operator"]],
  AccountSuspendedException: [["suspended"]],
  AlreadyExistsException: [["later"]],
  BadRequestException: [["rejected"], ["too-large", tooLarge], ["rejected", `Illegal address: <${dailyQuota}>`]],
  ConcurrentModificationException: [["doubt"]],
  ConflictException: [["later"]],
  ExpiredTokenException: [["operator"]],
  InternalServiceErrorException: [["doubt"]],
  InvalidNextTokenException: [["later"]],
  InvalidSignatureException: [["operator"]],
  LimitExceededException: [["quota"], ["quota", dailyQuota], ["throttled", sendRate]],
  MailFromDomainNotVerifiedException: [["later"]],
  MessageRejected: [["rejected"], ["too-large", tooLarge], ["rejected", dailyQuota]],
  MissingAuthenticationTokenException: [["operator"]],
  NotFoundException: [["operator"]],
  RequestExpired: [["operator"]],
  SendingPausedException: [["paused"]],
  ThrottlingException: [["throttled"], ["quota", dailyQuota]],
  TooManyRequestsException: [["throttled"], ["throttled", sendRate], ["quota", dailyQuota]],
  UnknownOperationException: [["operator"]],
  UnrecognizedClientException: [["operator"]],
};

/** Nothing that came back by itself proves anything without SES's words in it, except a status that says it all. */
const goBetweens: [status: number, body: string, Conclusion][] = [
  [200, "", "doubt"],
  [301, "", "doubt"],
  [400, "<html>", "doubt"],
  [403, "<html>", "doubt"],
  [404, "", "doubt"],
  [413, "<html>", "too-large"],
  [429, "<html>", "throttled"],
];

const byAccount: [name: string, change: object, Conclusion, isDomainUnknown?: boolean][] = [
  ["sending paused", { sendingEnabled: false }, "paused"],
  ["account shut down", { enforcementStatus: "SHUTDOWN" }, "suspended"],
  ["daily quota used up", { max24HourSend: 0 }, "quota"],
  ["SES sandbox, recipient not verified", { productionAccess: false }, "sandboxed"],
  ["SES sandbox, nobody verified", { productionAccess: false }, "domain", true],
];

/** A name that long is refused before any server is asked. */
const nobody = `http://${"a".repeat(64)}.test`;

export const badDays: BadDay[] = [
  ...Object.entries(faults).flatMap(([kind, variants]) =>
    variants.map(([members, leadsTo, isAccepted]): BadDay => {
      const isSilent = leadsTo === "doubt" && ["hang", "accept-then-hang", "slow-body"].includes(kind);
      const cause: Cause = { by: "rule", fault: { kind, ...members }, isSilent };
      return { name: `${kind} ${JSON.stringify(members)}`, cause, leadsTo, isAccepted };
    }),
  ),
  ...Object.entries(errors).flatMap(([name, variants]) =>
    variants.map(([leadsTo, message]): BadDay => {
      const fault = { kind: "error", name, ...(message !== undefined && { message }) };
      return { name: `${name} ${message ?? ""}`, cause: { by: "rule", fault }, leadsTo, isAccepted: false };
    }),
  ),
  ...goBetweens.map(
    ([status, body, leadsTo]): BadDay => ({
      name: `a go-between's ${status} ${body}`,
      cause: { by: "go-between", status, body },
      leadsTo,
      isAccepted: false,
    }),
  ),
  { name: "from not verified", cause: { by: "unknown-domain" }, leadsTo: "domain", isAccepted: false },
  { name: "no such configuration set", cause: { by: "unknown-set" }, leadsTo: "operator", isAccepted: false },
  {
    name: "connection refused",
    cause: { by: "endpoint", url: "http://127.0.0.1:1" },
    leadsTo: "later",
    isAccepted: false,
  },
  { name: "no such host", cause: { by: "endpoint", url: nobody }, leadsTo: "later", isAccepted: false },
  ...byAccount.map(
    ([name, change, leadsTo, isDomainUnknown = false]): BadDay => ({
      name,
      cause: { by: "account", change, isDomainUnknown },
      leadsTo,
      isAccepted: false,
    }),
  ),
];

/** What ends the bad days of an account. */
export const goodAccount = {
  sendingEnabled: true,
  enforcementStatus: "HEALTHY",
  max24HourSend: -1,
  productionAccess: true,
};

export function isKnownToSes({ cause }: BadDay): boolean {
  return cause.by !== "unknown-domain" && !(cause.by === "account" && cause.isDomainUnknown === true);
}
