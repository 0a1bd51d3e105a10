import {
  DeleteSuppressedDestinationCommand,
  GetAccountCommand,
  type GetAccountCommandOutput,
  SESv2Client,
  SendEmailCommand,
} from "@aws-sdk/client-sesv2";
import {
  type EmailProvider,
  type OutgoingMail,
  ProviderError,
  type Quota,
  type SubmitResult,
} from "../email-provider.ts";
import { clientSettings, type Timeouts } from "./client-settings.ts";
import { createAsk } from "./control-call.ts";
import { identityCalls } from "./identities/identity-calls.ts";
import { configurationSetCalls } from "./setup/configuration-set-calls.ts";
import { classifyAnswer, classifyFailure } from "./submit/classify-answer.ts";
import { sendEmailInput } from "./submit/send-email-input.ts";

export interface SesProviderOptions {
  region: string;
  endpoint: string | undefined;
  /** Of the AWS account; SES answers without them, and ARNs of identities are made of them. */
  accountId: string;
  partition: string;
  /** Shorter ones are for tests; the lease of a send is made for the usual ones. */
  sendTimeouts?: Partial<Timeouts>;
  controlTimeouts?: Partial<Timeouts>;
}

const usualSend: Timeouts = { connectMs: 3_000, requestMs: 15_000, idleMs: 5_000 };
const usualControl: Timeouts = { connectMs: 3_000, requestMs: 10_000, idleMs: 5_000 };

export function createSesProvider(options: SesProviderOptions): EmailProvider {
  const { region, endpoint, accountId, partition } = options;
  const sending = { ...usualSend, ...options.sendTimeouts };
  const control = { ...usualControl, ...options.controlTimeouts };
  const sender = new SESv2Client(clientSettings({ service: "email", region, endpoint, timeouts: sending }));
  const client = new SESv2Client(clientSettings({ service: "email", region, endpoint, timeouts: control }));
  const ask = createAsk(control.requestMs);
  return {
    submit: (mail) => submit(sender, mail, sending.requestMs),
    ...identityCalls(client, ask, `arn:${partition}:ses:${region}:${accountId}:identity/`),
    ...configurationSetCalls(client, ask),
    async removeSuppressedAddress(address) {
      const command = new DeleteSuppressedDestinationCommand({ EmailAddress: address });
      await ask((deadline) => client.send(command, deadline), { NotFoundException: undefined });
    },
    readQuota: async () => quotaFrom(await ask((deadline) => client.send(new GetAccountCommand(), deadline))),
  };
}

async function submit(client: SESv2Client, mail: OutgoingMail, timeoutMs: number): Promise<SubmitResult> {
  const command = new SendEmailCommand(sendEmailInput(mail));
  const missing = await findMissingCredentials(client);
  if (missing !== undefined) return missing;
  try {
    // The SDK's own timeout ends with the first bytes of the answer; a body that trickles is stopped by the deadline.
    const abortSignal = AbortSignal.timeout(timeoutMs);
    return classifyAnswer(await client.send(command, { abortSignal }));
  } catch (error) {
    return classifyFailure(error);
  }
}

/**
 * Asked for apart: a token file that cannot be read fails with an error of the file system or of another service, which
 * within the request would look as if the mail might have left.
 */
async function findMissingCredentials(client: SESv2Client): Promise<SubmitResult | undefined> {
  try {
    await client.config.credentials();
    return undefined;
  } catch (error) {
    const message = `The AWS credentials cannot be had: ${error instanceof Error ? error.name : "unknown"}`;
    return { kind: "try-later", hold: "operator", isThrottled: false, message, requestId: undefined };
  }
}

function quotaFrom(account: GetAccountCommandOutput): Quota {
  const { Max24HourSend, SentLast24Hours, MaxSendRate } = account.SendQuota ?? {};
  if (Max24HourSend === undefined || MaxSendRate === undefined) {
    throw new ProviderError("unavailable", "SES told nothing of the sending quota.", undefined);
  }
  return {
    perDay: Max24HourSend === -1 ? undefined : Max24HourSend,
    usedToday: SentLast24Hours ?? 0,
    perSecond: MaxSendRate,
    isSendingEnabled: account.SendingEnabled === true && account.EnforcementStatus !== "SHUTDOWN",
    isProduction: account.ProductionAccessEnabled === true,
  };
}
