import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll } from "vitest";
import { generateApiKey, type KeyType } from "../../service/src/api-keys/api-key.ts";
import { createTokenAuthority, issueAccessToken } from "../../service/src/logins/access-token.ts";
import { createRefreshTokenMaker } from "../../service/src/logins/refresh-token.ts";
import { aConfig } from "../../service/test/test-config.ts";
import { type FakeCell, startFakeCell } from "./fake-cell.ts";
import { type ProxyRequest, type ProxyResponse, sendRequest } from "./proxy-client.ts";
import { type Haproxy, startHaproxy } from "./start-haproxy.ts";

export const publicUrl = "https://mail.acme.io";
/** The cells in deploy/cells/haproxy.cfg. */
export const codes = ["AA", "AB"] as const;

const { tokenSigningKey } = aConfig().secrets;

/** Starts HAProxy with the shipped configuration and two cells of two fake APIs each, for one test file. */
export function useTwoCells() {
  const cells = new Map<string, FakeCell>();
  const settings: Record<string, string> = { PUBLIC_URL: publicUrl };
  let started: Haproxy | undefined;
  beforeAll(async () => {
    for (const name of codes.flatMap((code) => [`${code}-1`, `${code}-2`])) {
      const cell = await startFakeCell(name);
      cells.set(name, cell);
      settings[`CELL_${name.replace("-", "_API_")}`] = cell.address;
    }
    started = await startHaproxy(settings);
  });
  afterAll(async () => {
    await started?.stop();
    for (const cell of cells.values()) await cell.stop();
  });
  afterEach(async () => {
    for (const cell of cells.values()) {
      cell.behave("answer");
      await cell.start();
    }
    for (const code of codes) await until(async () => (await send({ headers: key(code) })).status === 200);
  });

  const proxy = (): Haproxy => {
    if (started === undefined) throw new Error("HAProxy is not running");
    return started;
  };
  const send = (request: ProxyRequest) => sendRequest(proxy().port, request);
  return {
    settings,
    send,
    proxy,
    apiNamed: (name: string) => cells.get(name),
    apisOf: (code: string) => [...cells].filter(([name]) => name.startsWith(code)).map(([, cell]) => cell),
    requestCount: () => [...cells.values()].reduce((sum, cell) => sum + cell.requestCount(), 0),
  };
}

export function key(code: string, type: KeyType = "live"): Record<string, string> {
  return { "x-api-key": generateApiKey(type, code).key };
}

export function accessToken(code: string): Promise<string> {
  const session = { userId: randomUUID(), accountId: randomUUID(), loginId: randomUUID() };
  const authority = createTokenAuthority(`https://${code.toLowerCase()}.mail.acme.io`, code, tokenSigningKey);
  return issueAccessToken(authority, session, Math.floor(Date.now() / 1000));
}

export function refreshToken(code: string): string {
  const maker = createRefreshTokenMaker(code, tokenSigningKey);
  return maker.write({ loginId: randomUUID(), nonce: maker.newNonce() });
}

/** The cell whose fake API answered, or the status of another response. */
export function cellOf({ status, text }: ProxyResponse): string {
  return status === 200 ? JSON.parse(text).name.slice(0, 2) : `status ${status}`;
}

export async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 15_000; !(await condition()); await pause(50)) {
    if (performance.now() > end) throw new Error("the condition did not hold within 15 seconds");
  }
}
