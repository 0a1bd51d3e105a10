import type { SimulatorOptions } from "./settings.ts";

/** What the command line takes, with the line `--help` prints. Each is an option of `startSesSimulator`. */
const described = {
  port: ["4579", "port to listen on; 0 takes a free one"],
  host: ["127.0.0.1", "address to listen on"],
  data: [".postern/ses-simulator", "folder that keeps state, ledger and mail"],
  region: ["eu-west-1", "AWS region to be"],
  verify: ["example.com", "domain or address that is verified from the start; may be repeated"],
  dns: ["", "DNS server (address or address:port) asked for DKIM records; without it verify by hand"],
  "public-url": ["", "how others reach it, if not at host and port"],
  "max-send-rate": ["1000", "recipients a second"],
  "max-24-hour-send": ["1000000", "recipients in 24 hours; =-1 is unlimited"],
  "control-rate": ["0", "requests a second other than sends, as SES allows 1; 0 does not limit"],
  speed: ["1", "makes the provider's waits shorter: at 100, 20 s take 0.2 s"],
  sandbox: ["", "be a new account: only verified recipients"],
} as const;

type Name = keyof typeof described;

interface Flags {
  [name: string]: string | boolean | (string | boolean)[] | undefined;
}

export const flags = {
  ...Object.fromEntries(
    Object.keys(described).map((name) => [
      name,
      { type: name === "sandbox" ? ("boolean" as const) : ("string" as const), multiple: name === "verify" },
    ]),
  ),
  help: { type: "boolean" as const, short: "h" },
};

export function help(): string {
  const lines = Object.entries(described).map(([name, [usual, text]]) => {
    const shown = usual === "" ? "" : ` (${usual})`;
    return `  --${name.padEnd(18)}${text}${shown}\n`;
  });
  return `ses-simulator: Amazon SES v2, SNS and SQS on loopback\n\n${lines.join("")}`;
}

export function optionsFrom(given: Flags): SimulatorOptions {
  const text = (name: Name) => String(given[name] ?? described[name][0]);
  const dns = text("dns");
  const publicUrl = text("public-url");
  return {
    port: numberOf("port", text("port")),
    host: text("host"),
    dataFolder: text("data"),
    region: text("region"),
    verifiedIdentities: Array.isArray(given.verify) ? given.verify.map(String) : [text("verify")],
    ...(dns !== "" && { dnsServer: dns }),
    ...(publicUrl !== "" && { publicUrl }),
    maxSendRate: numberOf("max-send-rate", text("max-send-rate")),
    max24HourSend: numberOf("max-24-hour-send", text("max-24-hour-send")),
    controlRequestsPerSecond: numberOf("control-rate", text("control-rate")),
    speed: numberOf("speed", text("speed")),
    sandbox: given.sandbox === true,
  };
}

function numberOf(name: Name, text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number)) throw new Error(`--${name} must be a number, not "${text}"`);
  return number;
}
