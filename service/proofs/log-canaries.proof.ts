import type { Proof } from "../../scripts/proof.ts";
import type { PosternProcess } from "../test/spawn-postern.ts";
import { type FeedbackCell, killProcess, untilRateIsKnown, withFeedbackCell } from "./cell/feedback-cell.ts";
import { subscribePushEndpoint } from "./cell/push-endpoint.ts";
import { isKnownToSes } from "./faults/fault-cases.ts";
import { Canaries } from "./leaks/canaries.ts";
import { runRefusedStarts, useFeedback, useRefusals } from "./leaks/canary-failures.ts";
import { chooseFaults, faultDomain, sendWithFault } from "./leaks/canary-faults.ts";
import { apiRequests, useKeys, useLogins, useOperator, useSending } from "./leaks/canary-requests.ts";
import { findTexts } from "./leaks/find-texts.ts";
import { makeSenders, senderDomain } from "./sends/sending-client.ts";

export const proof: Proof = {
  promise:
    "No body, subject, address, name, key, token, password or secret appears in logs, metrics or health, even at debug level",
  covers: ["service/proofs/faults", "service/proofs/leaks", "service/src"],
  size: { small: 6, full: 100 },
  run: async (size, { serverUrl, progress }) => {
    const faults = chooseFaults(size);
    const verifiedIdentities = [
      senderDomain(0),
      ...faults.flatMap((fault, number) => (isKnownToSes(fault) ? [faultDomain(number)] : [])),
    ];
    return withFeedbackCell(serverUrl, { verifiedIdentities }, async (cell) => {
      const canaries = new Canaries();
      const environment = withSecrets(cell, canaries);
      const [sender] = await makeSenders(cell.db, cell, 1, [100_000, 1_000_000, 6_000_000]);
      if (sender === undefined) throw new Error("there is no sender");
      const [api, worker] = await Promise.all([cell.start("api", environment), cell.start("worker", environment)]);
      await untilRateIsKnown(cell);
      const statuses = new Map<number, number>();
      const request = apiRequests(api.url, statuses);

      progress("logins, keys and sending");
      await subscribePushEndpoint(cell, api.url);
      const accessToken = await useLogins(request, cell.db, canaries, sender.accountId);
      await useKeys(request, canaries, accessToken);
      await useOperator(request, cell.db, canaries);
      const ids = await useSending(request, canaries, sender, accessToken);
      for (const [number, fault] of faults.entries()) {
        ids.push(await sendWithFault({ cell, request, canaries, sender }, fault, number));
        progress(`${number + 1} of ${faults.length} faults`);
      }
      progress("feedback, PostgreSQL errors, refused starts");
      const reports = await useFeedback(cell, request, canaries);
      const outputs = await readOperations([api, worker]);
      const refusals = await useRefusals(cell, request, canaries, sender, worker);
      await request("POST", "/api/v1/auth/logout", { authorization: `Bearer ${accessToken}` });
      const starts = await runRefusedStarts({ ...cell.environment, ...environment }, canaries);
      outputs.push(...(await readOperations([api, worker])), ...starts.outputs);
      for (const stopped of [api, worker]) await stop(stopped);
      const lines = [api, worker].flatMap((one) => one.logs().map((line) => JSON.stringify(line)));
      outputs.push(lines.join("\n"), api.stderr(), worker.stderr());

      const everything = Buffer.from(outputs.join("\n"));
      const found = findTexts(everything, canaries.texts());
      const control = findTexts(everything, ids).length;
      const texts = canaries.texts().length;
      return {
        figure:
          `${found.length} of ${texts} canaries found in ${lines.length} log lines at debug level, stderr, metrics and health of API and ` +
          `worker (${everything.length} bytes), after ${faults.length} provider faults, ${reports} reports, ${refusals} PostgreSQL errors, ` +
          `${sum(statuses)} requests (${describe(statuses)}) and ${starts.refused} refused starts; control: ${control} of ${ids.length} ` +
          `send ids found` +
          [...new Set(found.map((text) => `\n${canaries.kindOf(text)}: ${surroundings(outputs, text)}`))]
            .slice(0, 10)
            .join(""),
        holds:
          found.length === 0 &&
          control === ids.length &&
          refusals === 3 &&
          starts.refused === 4 &&
          canaries.missing().length === 0 &&
          lines.length > ids.length,
      };
    });
  },
};

/** The secrets of the processes are canaries too. PostgreSQL accepts any password here. */
function withSecrets({ environment, url }: FeedbackCell, canaries: Canaries) {
  for (const name of ["API_KEY_PEPPER", "CONTENT_KEY", "TOKEN_SIGNING_KEY"]) {
    canaries.add("environment secret", environment[name]?.split(":")[1] ?? "");
  }
  const withPassword = Object.assign(new URL(url), { password: canaries.make("environment secret") });
  return {
    LOG_LEVEL: "debug",
    DATABASE_URL: withPassword.href,
    AWS_SECRET_ACCESS_KEY: canaries.make("environment secret"),
    AWS_SESSION_TOKEN: canaries.make("environment secret"),
  };
}

async function readOperations(processes: PosternProcess[]): Promise<string[]> {
  const addresses = processes.flatMap(({ url, operationsUrl }) => [
    `${operationsUrl}/metrics`,
    `${operationsUrl}/health`,
    ...(url.startsWith("http") ? [`${url}/healthz`, `${url}/readyz`] : []),
  ]);
  return Promise.all(addresses.map(async (address) => (await fetch(address)).text()));
}

/** Stops gracefully first, because the output of the shutdown counts as well. */
async function stop(started: PosternProcess): Promise<void> {
  started.kill("SIGTERM");
  const killTimer = setTimeout(() => void killProcess(started), 20_000);
  await started.exited;
  clearTimeout(killTimer);
}

function sum(statuses: Map<number, number>): number {
  return statuses.values().reduce((total, count) => total + count, 0);
}

function describe(statuses: Map<number, number>): string {
  return [...statuses]
    .toSorted(([one], [other]) => one - other)
    .map(([status, count]) => `${count} x ${status}`)
    .join(", ");
}

function surroundings(outputs: string[], text: string): string {
  const output = outputs.find((one) => one.includes(text)) ?? "in another encoding";
  const at = output.indexOf(text);
  return output.slice(Math.max(0, at - 200), at + 80);
}
