import { z } from "zod";
import { AppError } from "../../../errors.ts";
import type { ApiDeps, ApiServer } from "../../http/api-server.ts";
import { errorResponses } from "../../http/wire-format.ts";

/** Larger than any notification that SNS sends. */
const maxNotificationBytes = 512 * 1024;

const receivedResponse = z.object({ success: z.literal(true) }).describe("Postern has processed the message");

/**
 * Receives the notifications that SNS pushes. The SNS signature authenticates the request, so there is no API key. There is
 * no rate limit either, because SNS redelivers a refused notification for a limited time only.
 */
export async function feedbackRoutes(app: ApiServer, { feedbackEndpoint, log }: ApiDeps): Promise<void> {
  await app.register(async (scope) => {
    // SNS sends JSON with the content type text/plain.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
    scope.post(
      "/api/v1/feedback/ses",
      {
        bodyLimit: maxNotificationBytes,
        validatorCompiler: () => (value) => ({ value }),
        schema: {
          operationId: "receiveSesNotification",
          summary: "Receive an SES event from SNS",
          description:
            "The HTTPS endpoint of the feedback topic, for Amazon SNS only. Returns 401 for any message without a valid signature " +
            "for this topic. Not needed when the workers read feedback from SQS.",
          tags: ["Feedback"],
          security: [],
          response: { 200: receivedResponse, ...errorResponses(401, 413) },
        },
      },
      async (request) => {
        if (feedbackEndpoint === undefined) {
          const message = "This installation is not connected to AWS. The operator must run `postern aws setup`.";
          throw new AppError("UNAVAILABLE", message, { retryAfterSeconds: 60 });
        }
        const body = typeof request.body === "string" ? request.body : "";
        const reading = await feedbackEndpoint.push.read(body);
        switch (reading.kind) {
          case "notification":
            await feedbackEndpoint.receive(reading.feedback, body);
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
            throw new AppError("UNAUTHORIZED", "The message has no valid Amazon SNS signature for the feedback topic.");
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
