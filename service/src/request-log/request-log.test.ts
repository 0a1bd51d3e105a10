import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { ErrorCode } from "../errors.ts";
import { listRequests } from "./list-requests.ts";
import type { LoggedRequest } from "./logged-request.ts";
import { createRequestLog, type DropReason } from "./request-log.ts";

const database = useTestDatabase();

function aLog(db: Parameters<typeof createRequestLog>[0]["db"] = database.db) {
  const dropped: Record<DropReason, number> = { waiting: 0, write: 0, limit: 0 };
  const log = createRequestLog({
    db,
    onDrop: (reason, count) => {
      dropped[reason] += count;
    },
  });
  return { log, dropped };
}

function aRequest(accountId: string, errorCode: ErrorCode | undefined): LoggedRequest {
  return {
    caller: { accountId, mode: "live", apiKeyId: randomUUIDv7() },
    method: "GET",
    route: "/api/v1/send/:id/status",
    status: errorCode === undefined ? 200 : 404,
    errorCode,
    problems: [{ field: "to[0]", code: "invalid", message: "is wrong" }],
    address: "192.0.2.7",
    requestId: randomUUIDv7(),
  };
}

const aRefusal = (accountId: string, errorCode: ErrorCode = "NOT_FOUND") => aRequest(accountId, errorCode);

const entriesOf = async (accountId: string) => {
  const { requests } = await listRequests(database.db.forAccount(accountId), ["live", "test"], { limit: 10_000 });
  return requests;
};

test("an entry is stored with everything it has, with the next flush", async () => {
  const accountId = await anAccount(database.db);
  const { log } = aLog();
  const refusal = aRefusal(accountId, "VALIDATION_ERROR");
  log.note(refusal);
  expect(await entriesOf(accountId)).toEqual([]);
  await log.flush();
  await log.flush();
  expect(await entriesOf(accountId)).toMatchObject([
    {
      method: "GET",
      route: refusal.route,
      status: 404,
      errorCode: "VALIDATION_ERROR",
      problems: refusal.problems,
      apiKeyId: refusal.caller.apiKeyId,
      keyName: null,
      userId: null,
      address: "192.0.2.7",
      requestId: refusal.requestId,
    },
  ]);
});

test("an hour of an account has 500 entries of a code over all processes, and room for other codes", async () => {
  const [accountId, other] = [await anAccount(database.db), await anAccount(database.db)];
  const processes = Array.from({ length: 4 }, () => aLog());
  for (let count = 0; count < 150; count++) for (const { log } of processes) log.note(aRefusal(accountId));
  await Promise.all(processes.map(({ log }) => log.flush()));
  const [first] = processes;
  expect(await entriesOf(accountId)).toHaveLength(500);
  expect(processes.reduce((sum, { dropped }) => sum + dropped.limit, 0)).toBe(100);

  for (let count = 0; count < 110; count++) first?.log.note(aRequest(accountId, undefined));
  first?.log.note(aRefusal(accountId, "CONFLICT"));
  first?.log.note(aRefusal(other));
  await first?.log.flush();
  const codes = (await entriesOf(accountId)).map(({ errorCode }) => errorCode);
  expect([null, "CONFLICT", "NOT_FOUND"].map((code) => codes.filter((each) => each === code).length)).toEqual([
    100, 1, 500,
  ]);
  expect(await entriesOf(other)).toHaveLength(1);
});

test("a process that has seen a full hour buffers nothing more for it", async () => {
  const accountId = await anAccount(database.db);
  const { log, dropped } = aLog();
  for (let count = 0; count < 500; count++) log.note(aRefusal(accountId));
  await log.flush();
  for (let count = 0; count < 50; count++) log.note(aRefusal(accountId));
  expect(dropped).toEqual({ waiting: 0, write: 0, limit: 50 });
});

test("one account cannot take the memory of others, and all together take a bounded number of entries", async () => {
  const [flooding, quiet] = [await anAccount(database.db), await anAccount(database.db)];
  const { log, dropped } = aLog();
  for (let count = 0; count < 1_500; count++) log.note(aRefusal(flooding));
  log.note(aRefusal(quiet));
  expect(dropped.waiting).toBe(500);
  await log.flush();
  expect(await entriesOf(quiet)).toHaveLength(1);
  for (let account = 0; account < 6; account++) {
    const accountId = randomUUIDv7();
    for (let count = 0; count < 1_000; count++) log.note(aRefusal(accountId));
  }
  expect(dropped.waiting).toBe(1_500);
});

test("entries of a failed write are given up and counted, and later ones are stored", async () => {
  const accountId = await anAccount(database.db);
  let isBroken = true;
  const { log, dropped } = aLog({
    query: (statement) => (isBroken ? Promise.reject(new Error("no database")) : database.db.query(statement)),
  });
  log.note(aRefusal(accountId));
  await expect(log.flush()).rejects.toThrow("no database");
  expect(dropped.write).toBe(1);
  isBroken = false;
  log.note(aRefusal(accountId));
  await log.flush();
  expect(await entriesOf(accountId)).toHaveLength(1);
});

test("of accepted requests the first of each key, method, route and minute belongs to the sample", () => {
  let time = 0;
  const log = createRequestLog({ db: database.db, onDrop: () => undefined, now: () => time });
  const isSampled = () => [
    log.isSampled("one", "POST", "/api/v1/send"),
    log.isSampled("one", "GET", "/api/v1/sends"),
    log.isSampled("two", "POST", "/api/v1/send"),
  ];
  expect(isSampled()).toEqual([true, true, true]);
  time = 59_999;
  expect(isSampled()).toEqual([false, false, false]);
  time = 60_000;
  expect(isSampled()).toEqual([true, true, true]);
});
