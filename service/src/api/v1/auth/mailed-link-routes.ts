import { AppError } from "../../../errors.ts";
import { acceptInvitation, joinAsUser } from "../../../invitations/accept-invitation.ts";
import { requestPasswordReset, usePasswordReset } from "../../../logins/password-reset.ts";
import { clientOf } from "../../auth/client-of.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import { requireUser } from "../../auth/require-user.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwt } from "../../http/wire-format.ts";
import {
  acceptBody,
  joinBody,
  joinedResponse,
  messageResponse,
  newPasswordBody,
  resetBody,
  toJoinedResponse,
} from "./mailed-link-wire.ts";

/** What the links of invitations and password resets do. The token of the link names the account or the user. */
export function mailedLinkRoutes(app: ApiServer, deps: ApiDeps): void {
  const { loginDeps, resetDeps, authenticator, log } = deps;
  const { db } = authenticator;
  const { onRequest, callerOf } = requireCaller(deps);
  const startMailing = createMailing(log);

  app.post(
    "/api/v1/auth/invitations/accept",
    {
      schema: {
        operationId: "acceptInvitation",
        summary: "Accept an invitation with a password",
        description:
          "A person who is a user already gives the password of that user; a new person chooses one. It starts no login: log in afterwards.",
        tags: ["Members"],
        security: [],
        body: acceptBody,
        response: { 200: joinedResponse, ...errorResponses(401, 404, 413, 415, 422, 429) },
      },
    },
    async (request) =>
      toJoinedResponse(await acceptInvitation(db, loginDeps, { ...request.body, ...clientOf(request) })),
  );

  app.post(
    "/api/v1/auth/invitations/join",
    {
      onRequest,
      schema: {
        operationId: "joinByInvitation",
        summary: "Accept an invitation as the user of the access token",
        description: "The invitation must be for the email address of the user.",
        tags: ["Members"],
        security: needsJwt,
        body: joinBody,
        response: { 200: joinedResponse, ...errorResponses(401, 404, 413, 415, 422) },
      },
    },
    async (request) => {
      return toJoinedResponse(await joinAsUser(db, requireUser(callerOf(request)), request.body.token));
    },
  );

  app.post(
    "/api/v1/auth/password-reset",
    {
      schema: {
        operationId: "requestPasswordReset",
        summary: "Request a mail with a link that resets the password",
        description:
          "The answer is the same for unknown addresses. The link works once, for one hour. An installation without a sender for such mail " +
          "answers 404.",
        tags: ["Authentication"],
        security: [],
        body: resetBody,
        response: { 202: messageResponse, ...errorResponses(404, 413, 415, 422, 429) },
      },
    },
    async (request, reply) => {
      const { email } = request.body;
      await startMailing(() => requestPasswordReset(db, resetDeps, { email, ...clientOf(request) }));
      const message = "If a user has this address, a mail with a link is on its way. The link works for one hour.";
      return reply.code(202).send({ message });
    },
  );

  app.post(
    "/api/v1/auth/password-reset/confirm",
    {
      schema: {
        operationId: "resetPassword",
        summary: "Set a new password with the token of a reset link",
        description: "Ends all logins of the user. Log in with the new password afterwards.",
        tags: ["Authentication"],
        security: [],
        body: newPasswordBody,
        response: { 200: messageResponse, ...errorResponses(404, 413, 415, 422) },
      },
    },
    async (request) => {
      await usePasswordReset(db, resetDeps, { ...request.body, ...clientOf(request) });
      return { message: "The password is set, and all logins of the user have ended. Log in with the new password." };
    },
  );
}

const maxMailing = 50;

/** The answer does not wait for the mail: how long it takes would show whether the address is known. */
function createMailing(log: ApiDeps["log"]) {
  let running = 0;
  return async (start: () => Promise<{ mailing: Promise<boolean> }>): Promise<void> => {
    if (running >= maxMailing) {
      throw new AppError("UNAVAILABLE", "Too many resets are in progress. Try again shortly.", {
        retryAfterSeconds: 2,
      });
    }
    const { mailing } = await start();
    running += 1;
    void mailing
      .catch((error: unknown) => log.error({ err: error }, "password-reset.failed"))
      .finally(() => {
        running -= 1;
      });
  };
}
