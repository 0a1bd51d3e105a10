import { AppError } from "../../../errors.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorAnswers } from "../../http/wire-format.ts";
import { takenAnswer } from "./feedback-wire.ts";

/** More than SNS ever sends. */
const maxNotificationBytes = 512 * 1024;

/**
 * The door for notifications that SNS pushes. It has no key and no rate limit: what counts is the signature, and a
 * notification that is refused for other reasons would not come again.
 */
export async function feedbackRoutes(app: ApiServer, { feedbackEndpoint, log }: ApiDeps): Promise<void> {
  await app.register(async (scope) => {
    // SNS announces its JSON as text/plain.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
    scope.post(
      "/api/v1/feedback/ses",
      {
        bodyLimit: maxNotificationBytes,
        validatorCompiler: () => (value) => ({ value }),
        schema: {
          operationId: "takeSesNotification",
          summary: "Take an SNS notification about a mail",
          description:
            "For Amazon SNS only, as the HTTPS endpoint of the feedback topic. Everything but a message with a valid signature " +
            "of our topic is refused. Not needed where feedback is read from SQS.",
          tags: ["Feedback"],
          security: [],
          response: { 200: takenAnswer, ...errorAnswers(401, 413) },
        },
      },
      async (request) => {
        if (feedbackEndpoint === undefined) {
          throw new AppError("UNAVAILABLE", "This installation is not connected to AWS yet.", {
            retryAfterSeconds: 60,
          });
        }
        const body = typeof request.body === "string" ? request.body : "";
        const reading = await feedbackEndpoint.push.read(body);
        switch (reading.kind) {
          case "notification":
            await feedbackEndpoint.take(reading.feedback, body);
            break;
          case "confirmation":
            await feedbackEndpoint.push.confirm(reading);
            log.info({ topic: reading.topicArn }, "feedback.subscription-confirmed");
            break;
          case "unsubscribed":
            log.error({ topic: reading.topicArn }, "feedback.unsubscribed");
            break;
          case "refused":
            log.warn({ request_id: request.id, reason: reading.reason }, "feedback.refused");
            throw new AppError("UNAUTHORIZED", "This is not a message that Amazon SNS signed for the feedback topic.");
          case "cannot-check":
            log.error({ request_id: request.id, reason: reading.reason }, "feedback.cannot-check");
            throw new AppError("UNAVAILABLE", "The signature cannot be checked at the moment.", {
              retryAfterSeconds: 20,
            });
        }
        return { success: true as const };
      },
    );
  });
}
