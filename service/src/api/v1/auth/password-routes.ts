import { changePassword } from "../../../logins/change-password.ts";
import { clientOf } from "../../auth/client-of.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import { requireUser } from "../../auth/require-user.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwt } from "../../http/wire-format.ts";
import { startPath } from "./oidc-routes.ts";
import { changedPasswordResponse, loginMethodsResponse, passwordBody } from "./password-wire.ts";

export function passwordRoutes(app: ApiServer, deps: ApiDeps): void {
  const { loginDeps, authenticator, oidc, resetDeps } = deps;
  const { onRequest, callerOf } = requireCaller(deps);
  const methods = {
    password: true as const,
    oidc: oidc === undefined ? null : { start_path: startPath },
    password_reset: resetDeps.sendMail !== undefined,
  };

  app.get(
    "/api/v1/auth/methods",
    {
      schema: {
        operationId: "getLoginMethods",
        summary: "Get how people can log in",
        description: "For a log-in page, so it needs no credential. It says nothing about accounts or users.",
        tags: ["Authentication"],
        security: [],
        response: { 200: loginMethodsResponse, ...errorResponses(422) },
      },
    },
    () => methods,
  );

  app.post(
    "/api/v1/auth/password",
    {
      onRequest,
      schema: {
        operationId: "changePassword",
        summary: "Change the user's own password",
        description:
          "Needs the current password, which counts like a log-in: too many wrong ones are 429. All other sessions of the user end, and " +
          "mailed links that reset the password stop working. 409 for a user who logs in by OIDC and has no password here.",
        tags: ["Authentication"],
        security: needsJwt,
        body: passwordBody,
        response: { 200: changedPasswordResponse, ...errorResponses(401, 409, 413, 415, 422, 429) },
      },
    },
    async (request) => {
      const { current_password: password, new_password: newPassword } = request.body;
      const change = { password, newPassword, ...clientOf(request) };
      const user = requireUser(callerOf(request));
      return { success: true as const, ended: await changePassword(authenticator.db, loginDeps, user, change) };
    },
  );
}
