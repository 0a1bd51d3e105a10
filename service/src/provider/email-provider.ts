import type { Mailbox } from "../mail-address.ts";

/** A header of the caller in the mail. */
export interface CustomHeader {
  name: string;
  value: string;
}

/** A file in the mail. */
export interface MailAttachment {
  filename: string;
  contentType: string;
  /** With it the file is shown inside of the HTML. */
  contentId: string | undefined;
  bytes: Buffer;
}

/** The operations Postern needs from an email provider. Each method is exactly one request to the provider. */
export interface EmailProvider {
  /**
   * Returns every provider answer and every network error as a value. Throws only for invalid mail, such as one with a
   * line break in a name, and before it sends a request. `mayStart` is asked directly before the request is written;
   * without it the request always starts. `uploadMs` is time for attachments on top of the usual deadline.
   */
  submit(mail: OutgoingMail, mayStart?: () => boolean, uploadMs?: number): Promise<SubmitResult>;

  /** Returns `exists` when the provider already has the identity; `findIdentity` then returns its state. */
  createIdentity(domainName: string, configurationSetName: string): Promise<Identity | "exists">;
  findIdentity(domainName: string): Promise<Identity | undefined>;
  /** Succeeds as well when there is no such identity. */
  removeIdentity(domainName: string): Promise<void>;
  /** The return path of mail of the identity; undefined restores that of the provider. The domain is a subdomain of the identity. */
  setMailFrom(domainName: string, mailFromDomain: string | undefined): Promise<void>;
  /** Returns a page of up to 1,000 domains. `next` is the argument for the next page. */
  listIdentities(after?: string): Promise<{ identities: ListedIdentity[]; next: string | undefined }>;

  createConfigurationSet(name: string): Promise<"created" | "exists">;
  createEventDestination(configurationSetName: string, topicArn: string): Promise<"created" | "exists">;

  /** A tenant separates the reputation of an account. It can send with the identities and configuration sets that are added to it. */
  createTenant(tenantName: string): Promise<"created" | "exists">;
  addConfigurationSetToTenant(tenantName: string, configurationSetName: string): Promise<"created" | "exists">;
  addIdentityToTenant(tenantName: string, domainName: string): Promise<"created" | "exists">;
  /** Succeeds as well when there is no such tenant, or the identity was never added. */
  removeIdentityFromTenant(tenantName: string, domainName: string): Promise<void>;

  /** Succeeds as well when the address is not on the provider's suppression list. */
  removeSuppressedAddress(address: string): Promise<void>;
  /** Returns a page of up to 1,000 addresses of the provider's suppression list. `next` is the argument for the next page. */
  listSuppressedAddresses(after?: string): Promise<{ addresses: SuppressedAddress[]; next: string | undefined }>;
  readQuota(): Promise<Quota>;
  /** The first open findings of this kind, at most 100. */
  listReputationFindings(kind: FindingKind): Promise<ReputationFinding[]>;
}

/**
 * One send in the form that the provider receives. The provider's events carry the tags. Addresses are in ASCII form.
 */
export interface OutgoingMail {
  from: Mailbox;
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: Mailbox | undefined;
  subject: string;
  html: string | undefined;
  text: string | undefined;
  headers?: CustomHeader[] | undefined;
  attachments?: MailAttachment[] | undefined;
  configurationSetName: string;
  /** Undefined unless SES_TENANTS is on. */
  tenantName?: string | undefined;
  tags: { sendId: string; attempt: number };
  /** Only `postern aws check` sets it: a running worker ignores the events of this mail, because they concern no send. */
  checkId?: string | undefined;
}

/** Why the provider accepts no mail at the moment. A hold stops claiming and fails no send. */
export type Hold = "quota" | "paused" | "suspended" | "operator";

/** The API returns it as `error_code` of a failed send. */
export type RefusalCode = "PROVIDER_REJECTED" | "MESSAGE_TOO_LARGE";

export type SubmitResult =
  | { kind: "accepted"; providerMessageId: string; requestId: string | undefined }
  /** The provider never accepts this mail. `unverified` lists the identities that it reports as not verified. */
  | (Failure & { kind: "refused"; code: RefusalCode; unverified: string[] })
  /** The provider certainly did not accept the mail, and may accept it later. */
  | (Failure & { kind: "try-later"; hold: Hold | undefined; isThrottled: boolean })
  /**
   * The provider certainly did not accept the mail, because it denies the identity, the configuration set or the tenant of this mail.
   * Other domains may not be affected. `code` is the provider's name of the error, or `tenantNotAssociated`.
   */
  | (Failure & { kind: "denied"; code: string })
  /** `mayStart` returned false, so nothing was written. */
  | { kind: "not-started"; message: string; requestId: undefined }
  /** The provider may or may not have accepted the mail. It is resolved by in-doubt/resolve-in-doubt.ts. */
  | (Failure & { kind: "unknown" });

interface Failure {
  message: string;
  requestId: string | undefined;
  /** Counted by metrics: one of a few names, never text of the answer. */
  errorCode?: string;
}

/** The tenant lacks the identity or the configuration set. SES answers it with the name of any other denial. */
export const tenantNotAssociated = "TenantNotAssociated";

export type DkimStatus = "pending" | "success" | "failed" | "temporary-failure" | "not-started";

export interface Identity {
  arn: string;
  dkimStatus: DkimStatus;
  /** The owner publishes three CNAME records: `<token>._domainkey.<domain>` to `<token>.<zone>`. */
  dkimTokens: string[];
  dkimZone: string;
  /** Only an identity with our configuration set is ours; the AWS account may hold identities of other systems. */
  configurationSetName: string | undefined;
  /** Undefined while the identity uses the return path of the provider. */
  mailFrom: { domain: string; status: "pending" | "success" | "failed" } | undefined;
}

export interface ListedIdentity {
  domainName: string;
  isVerified: boolean;
}

export interface SuppressedAddress {
  address: string;
  /** Otherwise it bounced. */
  isComplaint: boolean;
}

export interface Quota {
  /** Undefined means unlimited. */
  perDay: number | undefined;
  usedToday: number;
  perSecond: number;
  isSendingEnabled: boolean;
  /** False while the AWS account is in the SES sandbox, which allows mail to verified addresses only. */
  isProduction: boolean;
  /** What SES thinks of the AWS account: `HEALTHY`, `PROBATION`, `SHUTDOWN` or a new word. Undefined when SES does not say it. */
  enforcementStatus: string | undefined;
}

/** The findings that concern reputation. The others are about DNS records, which Postern checks itself. */
export const findingKinds = ["BOUNCE", "COMPLAINT", "FEEDBACK_3P", "IP_LISTING"] as const;

export type FindingKind = (typeof findingKinds)[number];

export interface ReputationFinding {
  kind: FindingKind;
  impact: "HIGH" | "LOW";
  /** The ARN of an identity, a configuration set or a tenant; empty when SES names none. */
  resource: string;
}

/** Every method except `submit` throws it. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly kind: "throttled" | "unavailable" | "denied" | "limit-reached" | "invalid";
  /** The provider did not receive the request, or refused it. */
  readonly hadNoEffect: boolean;

  constructor(kind: ProviderError["kind"], message: string, cause: unknown, wasSent = true) {
    super(message, { cause });
    this.kind = kind;
    this.hadNoEffect = kind !== "unavailable" || !wasSent;
  }
}
