import { Secret } from "./snippet.tsx";

/** A new signing secret, this one time. */
export function WebhookSecret({ secret }: { secret: string }) {
  return (
    <>
      <Secret value={secret} label="secret">
        Postern shows this secret once. Store it where your application reads its settings.
      </Secret>
      <p>
        Your application verifies the header <code>webhook-signature</code> with it: <code>verifyWebhook</code> of the
        SDK, or any library for Standard Webhooks.
      </p>
    </>
  );
}
