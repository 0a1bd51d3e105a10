import { verifyWebhook, WebhookVerificationError } from "@postern/sdk";
import { Hono } from "hono";

export const app = new Hono();

app.post("/webhooks/postern", async (context) => {
  try {
    const { raw } = context.req;
    const notification = await verifyWebhook(await raw.text(), raw.headers, process.env.POSTERN_WEBHOOK_SECRET);
    if (notification.type === "send.bounced") console.log(notification.data.recipient, notification.data.bounce.status);
    return context.body(null, 204);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return context.text(error.message, 400);
  }
});
