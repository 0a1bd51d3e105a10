import type { Mailbox } from "../mail-address.ts";

/** What Postern needs of an email provider, in its own words. Each method is exactly one request to the provider. */
export interface EmailProvider {
  /**
   * What the provider or the network does is a value and never thrown. It throws only for a mail that must not exist, such as
   * one with a line break in a name, and before anything has left.
   */
  submit(mail: OutgoingMail): Promise<SubmitResult>;

  /** `exists` when the provider has the identity already; `findIdentity` then tells its state. */
  createIdentity(domainName: string, configurationSetName: string): Promise<Identity | "exists">;
  findIdentity(domainName: string): Promise<Identity | undefined>;
  /** Done as well when there was none. */
  removeIdentity(domainName: string): Promise<void>;
  /** Up to 1,000 domains in one request; `next` continues where it stopped. */
  listIdentities(after?: string): Promise<{ identities: ListedIdentity[]; next: string | undefined }>;

  createConfigurationSet(name: string): Promise<"created" | "exists">;
  createEventDestination(configurationSetName: string, topicArn: string): Promise<"created" | "exists">;
  hasConfigurationSet(name: string): Promise<boolean>;

  /** Done as well when the address was not on the provider's list. */
  removeSuppressedAddress(address: string): Promise<void>;
  readQuota(): Promise<Quota>;
}

/** One send as the provider gets it; the tags come back with every event about it. Addresses are the ASCII ones. */
export interface OutgoingMail {
  from: Mailbox;
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: Mailbox | undefined;
  subject: string;
  html: string | undefined;
  text: string | undefined;
  configurationSetName: string;
  tags: { sendId: string; attempt: number };
}

/** Why nothing can be handed over at all for now; it stops claiming, and no send is failed for it. */
export type Hold = "quota" | "paused" | "suspended" | "operator";

/** Published as `error_code` of a failed send. */
export type RefusalCode = "PROVIDER_REJECTED" | "MESSAGE_TOO_LARGE";

export type SubmitResult =
  | { kind: "accepted"; providerMessageId: string; requestId: string | undefined }
  /** The provider will never take this one. `unverified` lists the identities it found not to be verified. */
  | { kind: "refused"; code: RefusalCode; message: string; unverified: string[]; requestId: string | undefined }
  /** It was certainly not accepted and may be later. */
  | { kind: "try-later"; hold: Hold | undefined; isThrottled: boolean; message: string; requestId: string | undefined }
  /** It may or may not have been accepted; only evidence or policy may send it again. */
  | { kind: "unknown"; message: string; requestId: string | undefined };

export type DkimStatus = "pending" | "success" | "failed" | "temporary-failure" | "not-started";

export interface Identity {
  arn: string;
  dkimStatus: DkimStatus;
  /** Three names to publish as `<token>._domainkey.<domain>`, each pointing to `<token>.<zone>`. */
  dkimTokens: string[];
  dkimZone: string;
  /** The set the identity was made for; it tells ours from those that somebody else made in the same AWS account. */
  configurationSetName: string | undefined;
}

export interface ListedIdentity {
  domainName: string;
  isVerified: boolean;
}

export interface Quota {
  /** Undefined means unlimited. */
  perDay: number | undefined;
  usedToday: number;
  perSecond: number;
  isSendingEnabled: boolean;
  /** False while the AWS account is in the SES sandbox and may only mail verified addresses. */
  isProduction: boolean;
}

/** Thrown by everything except `submit`. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly kind: "throttled" | "unavailable" | "denied" | "limit-reached" | "invalid";
  /** The provider did not get the request, or refused it: nothing came of it. */
  readonly isWithoutEffect: boolean;

  constructor(kind: ProviderError["kind"], message: string, cause: unknown, hasLeft = true) {
    super(message, { cause });
    this.kind = kind;
    this.isWithoutEffect = kind !== "unavailable" || !hasLeft;
  }
}
