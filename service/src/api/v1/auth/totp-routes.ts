import {
  confirmTotpEnrolment,
  renewRecoveryCodes,
  startTotpEnrolment,
  turnTotpOff,
} from "../../../logins/manage-totp.ts";
import { findTotp } from "../../../logins/totp-store.ts";
import { clientOf } from "../../auth/client-of.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import { requireUser } from "../../auth/require-user.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwt } from "../../http/wire-format.ts";
import {
  confirmBody,
  disableBody,
  enrolBody,
  enrolResponse,
  givenCode,
  recoveryCodesResponse,
  renewBody,
  totpDisabledResponse,
  totpResponse,
} from "./totp-wire.ts";

/** The user's own second factor, in all accounts. */
export function totpRoutes(app: ApiServer, deps: ApiDeps): void {
  const { loginDeps, authenticator } = deps;
  const { db } = authenticator;
  const { onRequest, callerOf } = requireCaller(deps);
  const common = { tags: ["Authentication"], security: needsJwt };

  app.get(
    "/api/v1/auth/totp",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "getTotp",
        summary: "Get whether two-factor authentication is on",
        response: { 200: totpResponse, ...errorResponses(401, 422, 429) },
      },
    },
    async (request) => {
      const { userId, needsTotp } = requireUser(callerOf(request));
      const stored = await findTotp(db, userId);
      const enabled_at = stored?.enabledAt ?? null;
      return {
        enabled: enabled_at !== null,
        enabled_at,
        required: needsTotp,
        recovery_codes_left: stored?.recoveryCodes ?? 0,
      };
    },
  );

  app.post(
    "/api/v1/auth/totp",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "enrolTotp",
        summary: "Start to set up two-factor authentication",
        description:
          "Returns a secret for an authenticator app (TOTP, six digits, 30 seconds), which is not shown again. Two-factor authentication " +
          "is on once POST /api/v1/auth/totp/confirm gets a code of it. Starting again replaces a secret that was not confirmed.",
        body: enrolBody,
        response: { 200: enrolResponse, ...errorResponses(401, 409, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const proof = { ...request.body, ...clientOf(request) };
      const { secret, uri } = await startTotpEnrolment(db, loginDeps, requireUser(callerOf(request)), proof);
      return { secret, otpauth_uri: uri };
    },
  );

  app.post(
    "/api/v1/auth/totp/confirm",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "confirmTotp",
        summary: "Turn two-factor authentication on with a first code",
        description:
          "Returns ten recovery codes, which are not shown again. From now on a log-in needs `totp_code` or `recovery_code`. All other " +
          "sessions of the user end.",
        body: confirmBody,
        response: { 200: recoveryCodesResponse, ...errorResponses(401, 409, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const user = requireUser(callerOf(request));
      return { recovery_codes: await confirmTotpEnrolment(db, loginDeps, user, request.body.totp_code) };
    },
  );

  app.post(
    "/api/v1/auth/totp/recovery-codes",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "renewRecoveryCodes",
        summary: "Replace the recovery codes",
        description: "The old codes stop working. The new ones are not shown again.",
        body: renewBody,
        response: { 200: recoveryCodesResponse, ...errorResponses(401, 409, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const user = requireUser(callerOf(request));
      return { recovery_codes: await renewRecoveryCodes(db, loginDeps, user, givenCode(request.body)) };
    },
  );

  app.post(
    "/api/v1/auth/totp/disable",
    {
      onRequest,
      schema: {
        ...common,
        operationId: "disableTotp",
        summary: "Turn two-factor authentication off",
        description: "Needs the password and a code or a recovery code. The recovery codes are deleted.",
        body: disableBody,
        response: { 200: totpDisabledResponse, ...errorResponses(401, 409, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const proof = { password: request.body.password, ...givenCode(request.body), ...clientOf(request) };
      await turnTotpOff(db, loginDeps, requireUser(callerOf(request)), proof);
      return { success: true as const, message: "Two-factor authentication is off." };
    },
  );
}
