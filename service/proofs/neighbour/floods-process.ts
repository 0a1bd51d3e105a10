import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { FloodCounts, NoisyTenant } from "./floods.ts";

// Only `floods.ts` starts this process.
const { url, key, accessToken, email, from } = JSON.parse(process.argv[2] ?? "") as NoisyTenant;
const counts: FloodCounts = {};
let isAbusing = false;

takeOnlyIdleTime();
process.once("disconnect", () => process.exit());

interface Call {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

interface Flood {
  name: string;
  atOnce: number;
  next(): Call;
}

const withKey = { "x-api-key": key };
const withToken = { authorization: `Bearer ${accessToken}` };
const mail = (to: string[], text: string) => JSON.stringify({ from, to, subject: "Hello", text });
const fiftyRecipients = Array.from({ length: 50 }, (_, number) => `reader-${number}@example.io`);
/** Just below the limit of a mail. */
const largeMail = mail(["jane@example.io"], "x".repeat(7_500_000));
const smallMail = mail(["jane@example.io"], "Hi");

const floods: Flood[] = [
  {
    name: "lists",
    atOnce: 150,
    next: () => ({ method: "GET", path: `/api/v1/sends?recipient=${randomName()}@example.io`, headers: withKey }),
  },
  {
    name: "registrations",
    atOnce: 5,
    next: () => ({
      method: "POST",
      path: "/api/v1/domains",
      headers: withToken,
      body: JSON.stringify({ domain_name: `${randomName()}.io` }),
    }),
  },
  {
    name: "large mails",
    atOnce: 20,
    next: () => ({ method: "POST", path: "/api/v1/send", headers: withKey, body: largeMail }),
  },
  {
    name: "large validations",
    atOnce: 40,
    next: () => ({ method: "POST", path: "/api/v1/send/validate", headers: withKey, body: largeMail }),
  },
  {
    name: "validations",
    atOnce: 40,
    next: () => ({ method: "POST", path: "/api/v1/send/validate", headers: withKey, body: smallMail }),
  },
  {
    name: "log-ins",
    atOnce: 40,
    next: () => ({
      method: "POST",
      path: "/api/v1/auth/login",
      body: JSON.stringify({
        email: Math.random() < 0.5 ? email : `${randomName()}@example.io`,
        password: randomName(),
      }),
    }),
  },
];

process.on("message", (isOn: boolean) => {
  isAbusing = isOn;
});
setInterval(() => process.send?.(counts), 200);
void repeatMails();
for (const flood of floods) {
  const agent = new Agent({ keepAlive: true, maxSockets: flood.atOnce });
  for (let lane = 0; lane < flood.atOnce; lane++) void repeat(flood, agent);
}

/**
 * This process stands for another machine, so it gets only the processor time that the processes under test leave over. Where Linux
 * groups processes by session, the priority of a process counts within its session only, and the session has one of its own.
 */
function takeOnlyIdleTime(): void {
  setPriority(19);
  try {
    writeFileSync("/proc/self/autogroup", "19");
  } catch {
    // This kernel does not group processes by session.
  }
}

/** At the limits of the account: after a 429 it waits for the time in Retry-After. */
async function repeatMails(): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const call = { method: "POST", path: "/api/v1/send", headers: withKey, body: mail(fiftyRecipients, "Hi") };
  for (;;) {
    const { retryAfterSeconds } = await exchange("mails", agent, call);
    await sleep(retryAfterSeconds === 0 ? 100 : retryAfterSeconds * 1000);
  }
}

async function repeat(flood: Flood, agent: Agent): Promise<void> {
  for (;;) {
    if (isAbusing) await exchange(flood.name, agent, flood.next());
    else await sleep(100);
  }
}

function exchange(flood: string, agent: Agent, call: Call): Promise<{ retryAfterSeconds: number }> {
  return new Promise((resolve) => {
    const end = (result: string, retryAfterSeconds: number) => {
      counts[`${flood} ${result}`] = (counts[`${flood} ${result}`] ?? 0) + 1;
      resolve({ retryAfterSeconds });
    };
    const { method, path, headers, body } = call;
    const typed = body === undefined ? {} : { "content-type": "application/json" };
    const outgoing = request(url + path, { method, agent, headers: { ...headers, ...typed } }, (answer) => {
      answer.resume();
      answer.on("close", () => end(String(answer.statusCode), Number(answer.headers["retry-after"] ?? 0)));
    });
    // The server closes a connection whose body it does not want to read.
    outgoing.on("error", () => end("cut", 0));
    outgoing.end(body);
  });
}

function randomName(): string {
  return randomBytes(6).toString("hex");
}
