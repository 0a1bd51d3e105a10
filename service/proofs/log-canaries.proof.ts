import type { Proof } from "../../scripts/proof.ts";
import type { PosternProcess } from "../test/spawn-postern.ts";
import { isKnownToSes } from "./bad-days.ts";
import { Canaries } from "./canaries.ts";
import { chooseDays, dayDomain, meetFault } from "./canary-faults.ts";
import { refuseToStart, useFeedback, useRefusals } from "./canary-troubles.ts";
import { askAt, useKeys, useLogins, useSending } from "./canary-requests.ts";
import { end, type FeedbackCell, untilRateIsKnown, withFeedbackCell } from "./feedback-cell.ts";
import { openPushEndpoint } from "./push-endpoint.ts";
import { makeSenders, senderDomain } from "./sending-client.ts";
import { tracedIn } from "./traces.ts";

export const proof: Proof = {
  promise:
    "No body, subject, address, name, key, token, password or secret gets into logs, metrics or health, at debug level",
  size: { small: 6, full: 100 },
  run: async (size, { serverUrl, progress }) => {
    const days = chooseDays(size);
    const verifiedIdentities = [
      senderDomain(0),
      ...days.flatMap((day, number) => (isKnownToSes(day) ? [dayDomain(number)] : [])),
    ];
    return withFeedbackCell(serverUrl, { verifiedIdentities }, async (cell) => {
      const canaries = new Canaries();
      const environment = withSecrets(cell, canaries);
      const [sender] = await makeSenders(cell.db, cell, 1, [100_000, 1_000_000, 6_000_000]);
      if (sender === undefined) throw new Error("nobody sends");
      const [api, worker] = await Promise.all([cell.start("api", environment), cell.start("worker", environment)]);
      await untilRateIsKnown(cell);
      const statuses = new Map<number, number>();
      const ask = askAt(api.url, statuses);

      progress("log-in, keys and sending");
      await openPushEndpoint(cell, api.url);
      const accessToken = await useLogins(ask, cell.db, canaries, sender.accountId);
      await useKeys(ask, canaries, accessToken);
      const ids = await useSending(ask, canaries, sender, accessToken);
      for (const [number, day] of days.entries()) {
        ids.push(await meetFault({ cell, ask, canaries, sender }, day, number));
        progress(`${number + 1} of ${days.length} faults`);
      }
      progress("feedback, refusals of PostgreSQL, refused starts");
      const reports = await useFeedback(cell, ask, canaries);
      const told = await whatIsTold([api, worker]);
      const refusals = await useRefusals(cell, ask, canaries, sender, worker);
      await ask("POST", "/api/v1/auth/logout", { authorization: `Bearer ${accessToken}` });
      const starts = await refuseToStart({ ...cell.environment, ...environment }, canaries);
      told.push(...(await whatIsTold([api, worker])), ...starts.said);
      for (const stopped of [api, worker]) await stop(stopped);
      const lines = [api, worker].flatMap((one) => one.logs().map((line) => JSON.stringify(line)));
      told.push(lines.join("\n"), api.complaints(), worker.complaints());

      const everything = Buffer.from(told.join("\n"));
      const found = tracedIn(everything, canaries.texts());
      const control = tracedIn(everything, ids).length;
      const texts = canaries.texts().length;
      return {
        figure:
          `${found.length} of ${texts} canaries found in ${lines.length} log lines at debug level, stderr, metrics and health of API and ` +
          `worker (${everything.length} bytes), after ${days.length} faults of the provider, ${reports} reports, ${refusals} refusals by ` +
          `PostgreSQL, ${sum(statuses)} requests (${describe(statuses)}) and ${starts.refused} refused starts; control: ${control} of ${ids.length} ` +
          `send ids found` +
          [...new Set(found.map((text) => `\n${canaries.kindOf(text)}: ${surroundings(told, text)}`))]
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

/** The secrets of the processes themselves are canaries too; PostgreSQL here lets in any password. */
function withSecrets({ environment, url }: FeedbackCell, canaries: Canaries) {
  for (const name of ["API_KEY_PEPPER", "CONTENT_KEY", "TOKEN_SIGNING_KEY"]) {
    canaries.keep("secret of the environment", environment[name]?.split(":")[1] ?? "");
  }
  const withPassword = Object.assign(new URL(url), { password: canaries.make("secret of the environment") });
  return {
    LOG_LEVEL: "debug",
    DATABASE_URL: withPassword.href,
    AWS_SECRET_ACCESS_KEY: canaries.make("secret of the environment"),
    AWS_SESSION_TOKEN: canaries.make("secret of the environment"),
  };
}

async function whatIsTold(processes: PosternProcess[]): Promise<string[]> {
  const addresses = processes.flatMap(({ url, operationsUrl }) => [
    `${operationsUrl}/metrics`,
    `${operationsUrl}/health`,
    ...(url.startsWith("http") ? [`${url}/healthz`, `${url}/readyz`] : []),
  ]);
  return Promise.all(addresses.map(async (address) => (await fetch(address)).text()));
}

/** In order first: what is said while stopping counts as well. */
async function stop(started: PosternProcess): Promise<void> {
  started.kill("SIGTERM");
  const patience = setTimeout(() => void end(started), 20_000);
  await started.exited;
  clearTimeout(patience);
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

function surroundings(told: string[], text: string): string {
  const place = told.find((one) => one.includes(text)) ?? "in another encoding";
  const at = place.indexOf(text);
  return place.slice(Math.max(0, at - 200), at + 80);
}
