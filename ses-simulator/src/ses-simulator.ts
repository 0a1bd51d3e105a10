import { mkdtempSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockFolder } from "./disk/folder-lock.ts";
import { type DnsServer, startDnsServer } from "./dns/dns-server.ts";
import { resumeEvents } from "./events/emit-events.ts";
import { routeCall } from "./http/route-call.ts";
import { createHttpServer } from "./http/server.ts";
import { checkIdentities, scheduleIdentityChecks } from "./ses/check-identities.ts";
import { defaults, type Settings, type SimulatorOptions } from "./settings.ts";
import { openSimulation, type Simulation } from "./simulation.ts";
import { resumePushes } from "./sns/deliver-push.ts";

export type { OpenedMail, OtherMail, OtherMails, OtherMailsQuery } from "./mail-view/other-mails.ts";
export type { SimulatorOptions } from "./settings.ts";

export interface SesSimulator {
  /** The endpoint of SES, SNS and SQS, and the address of the mail view. */
  url: string;
  port: number;
  region: string;
  dataFolder: string;
  /** An address that can send from the start. */
  verifiedSender: string;
  /** `address:port` of the DNS server that holds the records published here; undefined when the simulator serves no DNS. */
  dnsAddress: string | undefined;
  /** The URL of the SNS signing certificate, as messages carry it. */
  certificateUrl: string;
  /** Queries the DNS server now instead of at the next scheduled check. */
  checkIdentities(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the simulator with the state in its data folder. Resolves when it listens. */
export async function startSesSimulator(options: SimulatorOptions = {}): Promise<SesSimulator> {
  const settings = settingsFrom(options);
  const unlock = lockFolder(settings.dataFolder);
  const stopping = new AbortController();
  const simulation = await openSimulation(settings, stopping.signal);
  const server = createHttpServer((call) => routeCall(simulation, call), stopping.signal);
  const close = () => {
    simulation.close();
    unlock();
  };
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(settings.port, settings.host, resolve);
  }).catch((error) => {
    close();
    throw error;
  });
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.
  simulation.publicUrl = settings.publicUrl ?? `http://${settings.host}:${port}`;
  const dns = await serveDns(simulation, port).catch((error) => {
    server.close();
    close();
    throw error;
  });
  resumeEvents(simulation);
  resumePushes(simulation);
  scheduleIdentityChecks(simulation);
  return {
    url: simulation.publicUrl,
    port,
    region: settings.region,
    dataFolder: settings.dataFolder,
    verifiedSender: senderOf(settings.verifiedIdentities[0] ?? "example.com"),
    dnsAddress: dns?.address,
    certificateUrl: `${settings.certificateUrl ?? simulation.publicUrl}${simulation.signing.path}`,
    checkIdentities: () => checkIdentities(simulation),
    async stop() {
      stopping.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      dns?.close();
      await closed;
      close();
    },
  };
}

async function serveDns(simulation: Simulation, port: number): Promise<DnsServer | undefined> {
  const { host, servesDns } = simulation.settings;
  if (!servesDns) return undefined;
  const dns = await startDnsServer({ port, host, recordsOf: (name) => simulation.dnsRecords.get(name) ?? [] });
  simulation.dnsAddress = dns.address;
  return dns;
}

function settingsFrom(options: SimulatorOptions): Settings {
  const dataFolder = options.dataFolder ?? mkdtempSync(join(tmpdir(), "ses-simulator-"));
  const defined = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { ...defaults, dataFolder, ...defined };
}

function senderOf(identity: string): string {
  return identity.includes("@") ? identity : `hello@${identity}`;
}
