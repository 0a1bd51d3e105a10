import { z } from "zod";
import { AppError } from "../../../errors.ts";
import { addressBlock } from "../../../logins/login-throttle.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { createLargeBodyLimit } from "../../http/large-bodies.ts";
import { errorResponses } from "../../http/wire-format.ts";

/** Larger than any notification that SNS sends. */
const maxNotificationBytes = 512 * 1024;

/** Anyone can send these headers, so a slow upload must not occupy what SNS needs. SNS itself uses many addresses. */
const maxLargeBytes = {
  perOwner: 2 * maxNotificationBytes,
  total: 32 * maxNotificationBytes,
  largest: maxNotificationBytes,
  smallest: maxNotificationBytes,
};

const receivedResponse = z.object({ success: z.literal(true) }).describe("Postern has processed the message");

/**
 * Receives the notifications that SNS pushes. The SNS signature authenticates the request, so there is no API key. There is
 * no rate limit either, because SNS redelivers a refused notification for a limited time only. So the checks that cost least come
 * first: is the endpoint open, can these headers be from SNS (both before the body is read), its size, its shape, its signature.
 */
export async function feedbackRoutes(app: ApiServer, { feedbackEndpoint, log }: ApiDeps): Promise<void> {
  const largeBodies = createLargeBodyLimit(maxLargeBytes);
  await app.register(async (scope) => {
    // SNS sends JSON with the content type text/plain.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
    scope.post(
      "/api/v1/feedback/ses",
      {
        bodyLimit: maxNotificationBytes,
        onRequest: async (request, reply) => {
          const { push } = requireOpen(feedbackEndpoint);
          if (!push.mayRead(request.headers)) throw notFromSns();
          largeBodies.admit(request, reply, addressBlock(request.ip));
        },
        validatorCompiler: () => (value) => ({ value }),
        schema: {
          operationId: "receiveSesNotification",
          summary: "Receive an SES event from SNS",
          description:
            "The HTTPS endpoint of the feedback topic, for Amazon SNS only. Returns 401 for any message without a valid signature " +
            "for this topic, and 404 unless the operator uses push (`FEEDBACK_PUSH`). Not needed when the workers read feedback from SQS.",
          tags: ["Feedback"],
          security: [],
          response: { 200: receivedResponse, ...errorResponses(401, 404, 413) },
        },
      },
      async (request) => {
        const { push, receive } = requireOpen(feedbackEndpoint);
        const body = typeof request.body === "string" ? request.body : "";
        const reading = await push.read(body);
        switch (reading.kind) {
          case "notification":
            await receive(reading.feedback, body);
            break;
          case "confirmation":
            await push.confirm(reading);
            log.info({ topic: reading.topicArn }, "feedback.subscription-confirmed");
            break;
          case "unsubscribed":
            log.error({ topic: reading.topicArn }, "feedback.unsubscribed");
            break;
          case "refused":
            log.warn({ request_id: request.id, reason: reading.reason }, "feedback.refused");
            throw notFromSns();
          case "cannot-check":
            log.error({ request_id: request.id, reason: reading.reason }, "feedback.signature-not-checked");
            throw new AppError("UNAVAILABLE", "The server cannot check the signature. Send the message again later.", {
              retryAfterSeconds: 20,
            });
        }
        return { success: true as const };
      },
    );
  });
}

function requireOpen(endpoint: ApiDeps["feedbackEndpoint"]): NonNullable<ApiDeps["feedbackEndpoint"]> {
  if (endpoint !== undefined) return endpoint;
  throw new AppError(
    "NOT_FOUND",
    "This installation receives no pushed events. The operator can turn them on: see FEEDBACK_PUSH.",
  );
}

function notFromSns(): AppError {
  return new AppError("UNAUTHORIZED", "The message has no valid Amazon SNS signature for the feedback topic.");
}
