import { STATUS_CODES } from "node:http";
import type { ApiCall } from "../http/api-call.ts";
import type { Reply } from "../http/call.ts";
import { SesError } from "../ses/ses-error.ts";
import type { Settings } from "../settings.ts";
import type { Fault } from "./fault.ts";

/** The reply to a call that the fault prevents from running. Undefined lets the call run. */
export function faultBeforeRun(fault: Fault | undefined, api: ApiCall, settings: Settings): Reply | undefined {
  switch (fault?.kind) {
    case "reset-before-accept":
      return { ...emptyReply, transmission: { kind: "reset" } };
    case "hang":
      return { ...emptyReply, transmission: { kind: "hang" } };
    case "error":
      return api.refuse(new SesError(fault.name, fault.message));
    case "access-denied":
      return api.refuse(accessDenied(api, settings));
    case "daily-quota":
      return api.refuse(dailyQuota(fault.form));
    case "clock-skew":
      return clockSkew(api);
    case "http-error":
    case "garbage":
    case "empty-object":
      return fault.accepted ? undefined : unusableReply(fault, api);
    case "accept-then-reset":
    case "accept-then-hang":
    case "slow-body":
    case "wrong-md5":
    case "duplicate-receive":
    case "partial-failure":
    case undefined:
      return undefined;
  }
}

/** Changes the reply to a call that has run. */
export function faultAfterRun(fault: Fault | undefined, reply: Reply, api: ApiCall): Reply {
  switch (fault?.kind) {
    case "accept-then-reset":
      return { ...reply, transmission: { kind: "reset" } };
    case "accept-then-hang":
      return { ...reply, transmission: { kind: "hang" } };
    case "slow-body":
      return { ...reply, transmission: { kind: "slow", seconds: fault.seconds } };
    case "http-error":
    case "garbage":
    case "empty-object":
      return unusableReply(fault, api);
    case "reset-before-accept":
    case "hang":
    case "error":
    case "access-denied":
    case "daily-quota":
    case "clock-skew":
    case "wrong-md5":
    case "duplicate-receive":
    case "partial-failure":
    case undefined:
      return reply;
  }
}

const emptyReply: Reply = { status: 500, headers: {}, body: "" };

function unusableReply(fault: Fault & { kind: "http-error" | "garbage" | "empty-object" }, api: ApiCall): Reply {
  switch (fault.kind) {
    case "garbage":
      return { status: 200, headers: { "content-type": "application/json" }, body: '{"MessageId": "01' };
    case "empty-object":
      return { status: 200, headers: { "content-type": "application/json" }, body: "{}" };
    case "http-error":
      return fault.errorType ? serviceError(fault.status, api) : proxyPage(fault.status);
  }
}

function serviceError(status: number, api: ApiCall): Reply {
  const name = status === 503 ? "ServiceUnavailableException" : "InternalServiceErrorException";
  return api.refuse({ status, name, message: "The service could not process the request." });
}

/** The error page of a load balancer in front of the service. */
function proxyPage(status: number): Reply {
  const title = `${status} ${STATUS_CODES[status]}`;
  const body = `<html><head><title>${title}</title></head><body><center><h1>${title}</h1></center></body></html>`;
  return { status, headers: { "content-type": "text/html" }, body };
}

/** The wording of AWS, with its unequal quotation marks. It names the identity that the policy does not allow. */
function accessDenied({ body }: ApiCall, { region, accountId }: Settings): SesError {
  const domain = String(body.FromEmailAddress).replace(/>$/, "").split("@").at(-1);
  return new SesError(
    "AccessDeniedException",
    `User \`arn:aws:iam::${accountId}:user/postern' is not authorized to perform \`ses:SendEmail' on resource ` +
      `\`arn:aws:ses:${region}:${accountId}:identity/${domain}'`,
  );
}

function dailyQuota(form: "throttling" | "limit-exceeded"): SesError {
  const name = form === "throttling" ? "TooManyRequestsException" : "LimitExceededException";
  return new SesError(name, "Daily message quota exceeded.");
}

/** The SDK computes its clock offset from the Date header. */
function clockSkew(api: ApiCall): Reply {
  const serverTime = new Date(Date.now() + 20 * 60 * 1000);
  const message = `Signature expired: the request is earlier than ${serverTime.toISOString()} allows`;
  const reply = api.refuse({ status: 403, name: "InvalidSignatureException", message });
  return { ...reply, headers: { ...reply.headers, date: serverTime.toUTCString() } };
}
