// In a project with Next.js this file is app/webhooks/postern/route.ts.
import { verifyWebhook, WebhookVerificationError } from "@postern/sdk";

export async function POST(request: Request): Promise<Response> {
  try {
    const notification = await verifyWebhook(await request.text(), request.headers, process.env.POSTERN_WEBHOOK_SECRET);
    if (notification.type === "send.bounced") console.log(notification.data.recipient, notification.data.bounce.status);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return new Response(error.message, { status: 400 }); // Postern shows this text with the delivery
  }
}
