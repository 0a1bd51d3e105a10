import { verifyWebhook, WebhookVerificationError } from "@postern/sdk";
import { fastify } from "fastify";

export const app = fastify();

// The signature covers the bytes of the body. The parser applies to this plugin only; other routes still receive parsed JSON.
app.register(async (webhooks) => {
  webhooks.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (_request: unknown, body: Buffer) => body,
  );

  webhooks.post<{ Body: Buffer }>("/webhooks/postern", async (request, reply) => {
    try {
      const notification = await verifyWebhook(request.body, request.headers, process.env.POSTERN_WEBHOOK_SECRET);
      if (notification.type === "send.bounced")
        console.log(notification.data.recipient, notification.data.bounce.status);
      return reply.code(204).send();
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return reply.code(400).type("text/plain").send(error.message);
    }
  });
});
