import { z } from "zod";
import { AppError } from "../../../errors.ts";
import { endOtherSessions, endSession, listSessions } from "../../../logins/session-store.ts";
import { requireCaller } from "../../auth/require-caller.ts";
import { requireUser } from "../../auth/require-user.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses, needsJwt, uuidParams } from "../../http/wire-format.ts";
import { endedSessionResponse, endedSessionsResponse, sessionList, toSessionResponse } from "./session-wire.ts";

/** What users see and end of their own logins. */
export function sessionRoutes(app: ApiServer, deps: ApiDeps): void {
  // A login belongs to a user, who may be a member of several accounts.
  const { db } = deps.authenticator;
  const { onRequest, callerOf } = requireCaller(deps);

  app.get(
    "/api/v1/auth/sessions",
    {
      onRequest,
      schema: {
        operationId: "listSessions",
        summary: "List the user's own sessions",
        description: "A session begins with a log-in. `current` marks the one of this request.",
        tags: ["Authentication"],
        security: needsJwt,
        response: { 200: sessionList, ...errorResponses(401, 422, 429) },
      },
    },
    async (request) => {
      const { userId, loginId } = requireUser(callerOf(request));
      const sessions = await listSessions(db, userId);
      return { sessions: sessions.map((session) => toSessionResponse(session, loginId)) };
    },
  );

  app.delete(
    "/api/v1/auth/sessions/:id",
    {
      onRequest,
      schema: {
        operationId: "endSession",
        summary: "End one of the user's own sessions",
        description: "Every later request with an access token or refresh token of that session returns 401.",
        tags: ["Authentication"],
        security: needsJwt,
        params: uuidParams,
        response: { 200: endedSessionResponse, ...errorResponses(401, 404, 413, 415, 422) },
      },
    },
    async (request) => {
      const { id } = request.params;
      const isEnded = z.guid().safeParse(id).success && (await endSession(db, requireUser(callerOf(request)), id));
      if (!isEnded) throw new AppError("NOT_FOUND", "You have no session with this id. It may have ended already.");
      return { success: true as const, message: "The session has ended. Its tokens are no longer valid." };
    },
  );

  app.delete(
    "/api/v1/auth/sessions",
    {
      onRequest,
      schema: {
        operationId: "endOtherSessions",
        summary: "End all other sessions of the user",
        description: "The session of this request stays open. The tokens of the others return 401 from now on.",
        tags: ["Authentication"],
        security: needsJwt,
        response: { 200: endedSessionsResponse, ...errorResponses(401, 413, 415, 422) },
      },
    },
    async (request) => {
      return { success: true as const, ended: await endOtherSessions(db, requireUser(callerOf(request))) };
    },
  );
}
