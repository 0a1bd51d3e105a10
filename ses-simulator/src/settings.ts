/** What `startSesSimulator` accepts. Everything has a default; a test usually gives none or one of them. */
export interface SimulatorOptions {
  /** 0, the default, takes a free port. */
  port?: number;
  host?: string;
  /** Where state, ledger and mail are kept; without it a new folder under the system's temporary one. */
  dataFolder?: string;
  region?: string;
  accountId?: string;
  /** How others reach the simulator, where that is not its own address: queue URLs and SubscribeURLs start with it. */
  publicUrl?: string;
  /** What SigningCertURL starts with, to exercise a verifier's own host rules. The certificate is served here as well. */
  certificateUrl?: string;
  /** `address` or `address:port` of the DNS server asked for DKIM and MX records; without it only by hand. */
  dnsServer?: string;
  signingHostedZone?: string;
  /** Domains and addresses that exist, verified, from the start. */
  verifiedIdentities?: string[];
  /** Recipients in 24 hours; -1 is unlimited. */
  max24HourSend?: number;
  /** Recipients a second, with bursts of one second's worth. */
  maxSendRate?: number;
  /** SES allows one non-send request a second. Off (0) unless given, because it makes test set-up slow. */
  controlRequestsPerSecond?: number;
  /** A new AWS account: only verified recipients. */
  sandbox?: boolean;
  /** Compresses the provider's waits; 100 makes 20 s last 0.2 s. */
  speed?: number;
  sendEventAfterSeconds?: number;
  outcomeAfterSeconds?: number;
  /** SNS waits this long for an answer to a push. */
  pushTimeoutSeconds?: number;
}

export type Settings = Required<Omit<SimulatorOptions, "dnsServer" | "publicUrl" | "certificateUrl">> &
  Pick<SimulatorOptions, "dnsServer" | "publicUrl" | "certificateUrl">;

export const defaults: Omit<Settings, "dataFolder"> = {
  port: 0,
  host: "127.0.0.1",
  region: "eu-west-1",
  accountId: "000000000000",
  signingHostedZone: "dkim.amazonses.com",
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
