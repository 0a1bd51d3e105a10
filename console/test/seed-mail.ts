import { randomBytes } from "node:crypto";
import type { ApiClient } from "./api-client.ts";
import { type SeedSend, seedSends } from "./seed-sends.ts";
import { simulateOutcome } from "./simulated-outcomes.ts";
import { until } from "./until.ts";

export interface SeedOptions {
  /** The verified domain of the live sends; registered unless the account has it. */
  domain?: string;
  /** Part of every recipient's address. The default is random, because accounts share the simulated SES and its suppression list. */
  label?: string;
  modes?: ("live" | "test")[];
}

export interface SeededSend extends SeedSend {
  id: string;
}

export interface SeededMail {
  domain: string;
  sends: SeededSend[];
  /** Both send and read. */
  keys: Partial<Record<"live" | "test", string>>;
}

const maxWaitMs = 60_000;

/** Sends about 12 mails in each mode, with every outcome, and waits until each has its final status. */
export async function seedMail(
  { owner, simulatorUrl }: { owner: ApiClient; simulatorUrl: string },
  options: SeedOptions = {},
): Promise<SeededMail> {
  const { label = randomBytes(3).toString("hex"), modes = ["test", "live"] } = options;
  const domain = options.domain ?? `fernhill-${label}.example`;
  const keys: SeededMail["keys"] = {};
  const sends: SeededSend[] = [];
  if (modes.includes("live")) await verifyDomain(owner, domain);
  for (const mode of modes) {
    const { key } = await owner.post<{ key: string }>("/api-keys", {
      name: mode === "live" ? "Web shop" : "Staging",
      type: mode,
      scopes: ["send", "read"],
    });
    keys[mode] = key;
    const planned = seedSends(mode, { domain, label });
    for (const { to, outcome } of planned) {
      if (outcome !== undefined) await simulateOutcome(simulatorUrl, to[0] ?? "", outcome);
    }
    // The suppressed sends follow the bounces that suppress their recipients.
    for (const isSuppressed of [false, true]) {
      const part = planned.filter(({ status }) => (status === "suppressed") === isSuppressed);
      for (const send of part) sends.push({ ...send, id: await post(owner, key, send) });
      await untilFinal(owner, sends);
    }
  }
  return { domain, sends, keys };
}

/** In `postern dev` a registered domain is verified within seconds. */
export async function verifyDomain(owner: ApiClient, domain: string): Promise<void> {
  type Listed = { domain_name: string; verification_status: string };
  const find = async () => (await owner.get<Listed[]>("/domains")).find(({ domain_name }) => domain_name === domain);
  if ((await find()) === undefined) await owner.post("/domains", { domain_name: domain });
  await until(`${domain} is verified`, maxWaitMs, async () => (await find())?.verification_status === "Success");
}

async function post(owner: ApiClient, key: string, send: SeedSend): Promise<string> {
  const { status: _status, outcome: _outcome, ...mail } = send;
  const body = { ...mail, html: `<p>${mail.text}</p>` };
  return (await owner.post<{ id: string }>("/send", body, { "x-api-key": key, authorization: "" })).id;
}

async function untilFinal(owner: ApiClient, sends: SeededSend[]): Promise<void> {
  type Listed = { id: string; status: string };
  const list = async () => {
    const { data } = await owner.get<{ data: { sends: Listed[] } }>("/sends?limit=100");
    return new Map(data.sends.map(({ id, status }) => [id, status]));
  };
  let found = new Map<string, string>();
  const waiting = () => sends.filter(({ id, status }) => found.get(id) !== status);
  await until(
    () =>
      `the sends are final: ${waiting()
        .map(({ id, to, status }) => `${to.join()} is ${found.get(id)}, not ${status}`)
        .join("; ")}`,
    maxWaitMs,
    async () => {
      found = await list();
      return waiting().length === 0;
    },
  );
}
