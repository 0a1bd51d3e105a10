import type { SimulatorOptions } from "./settings.ts";

/** Each flag with its default value and its `--help` text. Each flag sets an option of `startSesSimulator`. */
const flagTable = {
  port: ["4579", "port to listen on; 0 selects a free one"],
  host: ["127.0.0.1", "address to listen on"],
  data: [".postern/ses-simulator", "folder for state, ledger and mail"],
  region: ["eu-west-1", "AWS region to simulate"],
  verify: ["example.com", "domain or address that is verified from the start; can be repeated"],
  dns: ["", "DNS server (address or address:port) to query for DKIM records, in place of the simulator's own"],
  "public-url": ["", "URL at which other programs reach the simulator, if not host and port"],
  "max-send-rate": ["1000", "recipients per second"],
  "max-24-hour-send": ["1000000", "recipients in 24 hours; =-1 is unlimited"],
  "control-rate": ["0", "requests per second other than sends (SES allows 1); 0 is unlimited"],
  speed: ["1", "compresses the provider's delays: at 100, 20 s take 0.2 s"],
  sandbox: ["", "simulate a new account, which can send to verified recipients only"],
} as const;

type Name = keyof typeof flagTable;

interface Flags {
  [name: string]: string | boolean | (string | boolean)[] | undefined;
}

export const flags = {
  ...Object.fromEntries(
    Object.keys(flagTable).map((name) => [
      name,
      { type: name === "sandbox" ? ("boolean" as const) : ("string" as const), multiple: name === "verify" },
    ]),
  ),
  help: { type: "boolean" as const, short: "h" },
};

export function help(): string {
  const lines = Object.entries(flagTable).map(([name, [defaultValue, text]]) => {
    const suffix = defaultValue === "" ? "" : ` (${defaultValue})`;
    return `  --${name.padEnd(18)}${text}${suffix}\n`;
  });
  return `ses-simulator: Amazon SES v2, SNS and SQS on loopback\n\n${lines.join("")}`;
}

export function optionsFrom(values: Flags): SimulatorOptions {
  const text = (name: Name) => String(values[name] ?? flagTable[name][0]);
  const dns = text("dns");
  const publicUrl = text("public-url");
  return {
    port: parseNumber("port", text("port")),
    host: text("host"),
    dataFolder: text("data"),
    region: text("region"),
    verifiedIdentities: Array.isArray(values.verify) ? values.verify.map(String) : [text("verify")],
    ...(dns === "" ? { servesDns: true } : { dnsServer: dns }),
    ...(publicUrl !== "" && { publicUrl }),
    maxSendRate: parseNumber("max-send-rate", text("max-send-rate")),
    max24HourSend: parseNumber("max-24-hour-send", text("max-24-hour-send")),
    controlRequestsPerSecond: parseNumber("control-rate", text("control-rate")),
    speed: parseNumber("speed", text("speed")),
    sandbox: values.sandbox === true,
  };
}

function parseNumber(name: Name, text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number)) throw new Error(`--${name} must be a number, not "${text}"`);
  return number;
}
