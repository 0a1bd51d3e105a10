import { type SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import type { OutgoingMail, SubmitResult } from "../../email-provider.ts";
import { classifyAnswer, classifyFailure } from "./classify-answer.ts";
import { sendEmailInput } from "./send-email-input.ts";

/** One SendEmail request. Whatever SES or the network does is a result and never an exception. */
export async function submit(client: SESv2Client, mail: OutgoingMail, timeoutMs: number): Promise<SubmitResult> {
  const command = new SendEmailCommand(sendEmailInput(mail));
  const missing = await findMissingCredentials(client);
  if (missing !== undefined) return missing;
  try {
    // The SDK's timeout covers only the time to the first byte of the answer; this deadline also covers a slow body.
    const abortSignal = AbortSignal.timeout(timeoutMs);
    return classifyAnswer(await client.send(command, { abortSignal }));
  } catch (error) {
    return classifyFailure(error);
  }
}

/**
 * Loads the credentials before the request. An unreadable token file fails with a file system error or with an error of
 * another service; during the request, such an error would look like a submission with an unknown outcome.
 */
async function findMissingCredentials(client: SESv2Client): Promise<SubmitResult | undefined> {
  try {
    await client.config.credentials();
    return undefined;
  } catch (error) {
    const message = `The AWS credentials cannot be loaded: ${error instanceof Error ? error.name : "unknown"}`;
    return { kind: "try-later", hold: "operator", isThrottled: false, message, requestId: undefined };
  }
}
