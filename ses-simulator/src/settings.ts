import type { OtherMails } from "./mail-view/other-mails.ts";

/** The options of `startSesSimulator`. Each has a default; a test usually sets none or one of them. */
export interface SimulatorOptions {
  /** 0, the default, selects a free port. */
  port?: number;
  host?: string;
  /** The folder for state, ledger and mail. The default is a new folder in the system's temporary folder. */
  dataFolder?: string;
  region?: string;
  accountId?: string;
  /** The URL at which other programs reach the simulator. Queue URLs and SubscribeURLs start with it. */
  publicUrl?: string;
  /** The start of SigningCertURL, to test a verifier's host rules. The simulator still serves the certificate itself. */
  certificateUrl?: string;
  /** `address` or `address:port` of the DNS server for DKIM and MX records. Without it, identities are verified by hand. */
  dnsServer?: string;
  /**
   * Serves DNS on the UDP port with the number of `port`, with the records that `POST /_simulator/dns` publishes, and looks up DKIM
   * records there. `dnsServer` must be absent.
   */
  servesDns?: boolean;
  signingHostedZone?: string;
  /** Domains and addresses that are verified from the start. */
  verifiedIdentities?: string[];
  /** Recipients in 24 hours; -1 is unlimited. */
  max24HourSend?: number;
  /** Recipients per second, with bursts of up to one second's quota. */
  maxSendRate?: number;
  /** SES allows one non-send request per second. The default is 0 (unlimited), because the limit slows test set-up. */
  controlRequestsPerSecond?: number;
  /** A new AWS account, which can send to verified recipients only. */
  sandbox?: boolean;
  /** Compresses the provider's delays; at 100, 20 s take 0.2 s. */
  speed?: number;
  sendEventAfterSeconds?: number;
  outcomeAfterSeconds?: number;
  /** How long SNS waits for the response to a push. */
  pushTimeoutSeconds?: number;
  /** Further mails that the mail view shows, such as those that a program sent in a test mode of its own. */
  otherMails?: OtherMails;
}

type WithoutDefault = "dnsServer" | "publicUrl" | "certificateUrl" | "otherMails";

export type Settings = Required<Omit<SimulatorOptions, WithoutDefault>> & Pick<SimulatorOptions, WithoutDefault>;

export const defaults: Omit<Settings, "dataFolder"> = {
  port: 0,
  host: "127.0.0.1",
  region: "eu-west-1",
  accountId: "000000000000",
  signingHostedZone: "dkim.amazonses.com",
  servesDns: false,
  verifiedIdentities: [],
  max24HourSend: 1_000_000,
  maxSendRate: 1000,
  controlRequestsPerSecond: 0,
  sandbox: false,
  speed: 1,
  sendEventAfterSeconds: 0,
  outcomeAfterSeconds: 0.1,
  pushTimeoutSeconds: 15,
};
