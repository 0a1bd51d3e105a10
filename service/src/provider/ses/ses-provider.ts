import { GetAccountCommand, type GetAccountCommandOutput, SESv2Client } from "@aws-sdk/client-sesv2";
import { type EmailProvider, ProviderError, type Quota } from "../email-provider.ts";
import { clientSettings, type Timeouts } from "./client-settings.ts";
import { createControlCall } from "./control-call.ts";
import { identityCalls } from "./identities/identity-calls.ts";
import { reputationCalls } from "./reputation-calls.ts";
import { configurationSetCalls } from "./setup/configuration-set-calls.ts";
import { submit } from "./submit/submit.ts";
import { suppressionCalls } from "./suppression-calls.ts";
import { tenantCalls } from "./tenant-calls.ts";

export interface SesProviderOptions {
  region: string;
  endpoint: string | undefined;
  /** Account id and partition are parts of identity ARNs, which SES does not return. */
  accountId: string;
  partition: string;
  /** Only tests set timeouts; the lease of a send depends on the defaults. */
  sendTimeouts?: Partial<Timeouts>;
  controlTimeouts?: Partial<Timeouts>;
}

const defaultSendTimeouts: Timeouts = { connectMs: 3_000, requestMs: 15_000, idleMs: 5_000 };
const defaultControlTimeouts: Timeouts = { connectMs: 3_000, requestMs: 10_000, idleMs: 5_000 };

/** SES may add values, so any text is stored, up to this length. */
const maxStatusLength = 40;

export function createSesProvider(options: SesProviderOptions): EmailProvider {
  const { region, endpoint, accountId, partition } = options;
  const sending = { ...defaultSendTimeouts, ...options.sendTimeouts };
  const control = { ...defaultControlTimeouts, ...options.controlTimeouts };
  const sender = new SESv2Client(clientSettings({ service: "email", region, endpoint, timeouts: sending }));
  const client = new SESv2Client(clientSettings({ service: "email", region, endpoint, timeouts: control }));
  const call = createControlCall(control.requestMs);
  const arnPrefix = `arn:${partition}:ses:${region}:${accountId}:`;
  return {
    submit: (mail, mayStart = () => true, uploadMs = 0) =>
      submit(sender, mail, { timeoutMs: sending.requestMs + uploadMs, mayStart }),
    ...identityCalls(client, call, `${arnPrefix}identity/`),
    ...configurationSetCalls(client, call),
    ...reputationCalls(client, call),
    ...tenantCalls(client, call, arnPrefix),
    ...suppressionCalls(client, call),
    readQuota: async () => quotaFrom(await call((deadline) => client.send(new GetAccountCommand(), deadline))),
  };
}

function quotaFrom(account: GetAccountCommandOutput): Quota {
  const { Max24HourSend, SentLast24Hours, MaxSendRate } = account.SendQuota ?? {};
  if (Max24HourSend === undefined || MaxSendRate === undefined) {
    throw new ProviderError("unavailable", "The answer of SES has no sending quota.", undefined);
  }
  return {
    perDay: Max24HourSend === -1 ? undefined : Max24HourSend,
    usedToday: SentLast24Hours ?? 0,
    perSecond: MaxSendRate,
    isSendingEnabled: account.SendingEnabled === true && account.EnforcementStatus !== "SHUTDOWN",
    isProduction: account.ProductionAccessEnabled === true,
    enforcementStatus: account.EnforcementStatus?.slice(0, maxStatusLength),
  };
}
