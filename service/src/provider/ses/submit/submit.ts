import { type SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import type { OutgoingMail, SubmitResult } from "../../email-provider.ts";
import { loadCredentials } from "../load-credentials.ts";
import { classifyAnswer, classifyFailure } from "./classify-answer.ts";
import { sendEmailInput } from "./send-email-input.ts";

interface SubmitOptions {
  timeoutMs: number;
  /** Only tests set it. */
  credentialsMs?: number;
  /** Asked directly before the request is written. */
  mayStart: () => boolean;
}

/**
 * One SendEmail request. Whatever SES or the network does is a result and never an exception.
 *
 * 1. Load the credentials, under a deadline of their own. A source that hangs or fails is the operator's to fix.
 * 2. Sign. The SDK may load credentials again here, and nothing limits how long that takes.
 * 3. Ask `mayStart` directly before the request is written: steps 1 and 2 may have used up the lease of the send.
 * 4. Write the request and read the answer, within `timeoutMs`. From here on a failure is an unknown outcome.
 */
export async function submit(client: SESv2Client, mail: OutgoingMail, options: SubmitOptions): Promise<SubmitResult> {
  const command = new SendEmailCommand(sendEmailInput(mail));
  const missing = await findMissingCredentials(client, options.credentialsMs);
  if (missing !== undefined) return missing;
  // The SDK's timeout covers only the time to the first byte of the answer; this deadline also covers a slow body.
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const start = guardStart(command, () => !deadline.aborted && options.mayStart());
  try {
    const answer = client.send(command, { abortSignal: deadline, requestTimeout: options.timeoutMs });
    return classifyAnswer(await Promise.race([answer, start.missed(deadline)]));
  } catch (error) {
    if (error instanceof NotStarted) return notStarted;
    const failure = classifyFailure(error, { hasTenant: mail.tenantName !== undefined });
    return failure.kind === "unknown" && !start.hasStarted() ? notWritten(failure) : failure;
  }
}

class NotStarted extends Error {}

const notStarted: SubmitResult = {
  kind: "not-started",
  message: "the lease or the deadline ended before the request could be written",
  requestId: undefined,
};

/** Signing failed, for example because a token file became unreadable. Nothing was written, so the outcome is not unknown. */
function notWritten({ message, requestId }: SubmitResult & { message: string }): SubmitResult {
  return { kind: "try-later", hold: undefined, isThrottled: false, message, requestId, errorCode: "not-written" };
}

/** Adds the last step before the request is written: it throws unless the request may start now. */
function guardStart(command: SendEmailCommand, mayStart: () => boolean) {
  let hasStarted = false;
  command.middlewareStack.add(
    (next) => (request) => {
      if (!mayStart()) throw new NotStarted();
      hasStarted = true;
      return next(request);
    },
    { name: "guardStart", step: "deserialize", priority: "low" },
  );
  return {
    hasStarted: () => hasStarted,
    /** Rejects when the deadline ends before the start. A request that has started ends by its own abort. */
    missed: (deadline: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        deadline.addEventListener("abort", () => {
          if (!hasStarted) reject(new NotStarted());
        });
      }),
  };
}

/**
 * Loads the credentials before the request. An unreadable token file fails with a file system error or with an error of
 * another service; during the request, such an error would look like a submission with an unknown outcome.
 */
async function findMissingCredentials(client: SESv2Client, withinMs?: number): Promise<SubmitResult | undefined> {
  try {
    await loadCredentials(client, withinMs);
    return undefined;
  } catch (error) {
    const message = `The AWS credentials cannot be loaded: ${error instanceof Error ? error.name : "unknown"}`;
    const errorCode = "no-credentials";
    return { kind: "try-later", hold: "operator", isThrottled: false, message, requestId: undefined, errorCode };
  }
}
