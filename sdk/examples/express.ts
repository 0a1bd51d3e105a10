import { verifyWebhook, WebhookVerificationError } from "@postern/sdk";
import express from "express";

export const app = express();

// The signature covers the bytes of the body: an express.json() before this route would replace them.
app.post("/webhooks/postern", express.raw({ type: "application/json" }), async (request, response) => {
  try {
    const notification = await verifyWebhook(request.body, request.headers, process.env.POSTERN_WEBHOOK_SECRET);
    if (notification.type === "send.bounced") console.log(notification.data.recipient, notification.data.bounce.status);
    response.status(204).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.status(400).type("text").send(error.message);
  }
});
