import type { Check } from "../check.ts";
import type { Tests } from "../suite.ts";
import { testMail } from "../test-mail.ts";

export const limitTests: Tests = {
  "8-01": async (check, { fixtures }) => {
    const { burst, second } = await fixtures.limits();
    check.equal(
      "the statuses of four concurrent requests",
      burst.map(({ status }) => status).toSorted((a, b) => a - b),
      [202, 202, 202, 429],
    );
    check.status("a request one second later", second.accepted, 202);
  },
  "8-02": async (check, { fixtures }) => checkWindow(check, 10, (await fixtures.limits()).tenSeconds),
  "8-03": async (check, { fixtures }) => checkWindow(check, 60, (await fixtures.limits()).minute),
  "8-04": async (check, { fixtures }) => {
    const { burst, tenSeconds, minute } = await fixtures.limits();
    for (const answer of [...burst.filter(({ status }) => status !== 202), tenSeconds.refused, minute.refused]) {
      check.error("a request above the limit", answer, 429, "RATE_LIMIT_EXCEEDED");
    }
  },
  "8-05": async (check, { admin, fixtures }) => {
    await fixtures.manySuppressed();
    const { body } = await admin.asUser("GET", "/api/v1/events");
    check.equal(
      "the length of the page and its limit",
      [body?.data?.events?.length, body?.data?.pagination?.limit],
      [50, 50],
    );
  },
  "8-06": async (check, { other, fixtures }) => {
    await fixtures.limits();
    const list = (limit: number) => other().asUser("GET", "/api/v1/events", { query: { limit } });
    check.equal("the number of events with limit 100", (await list(100)).body?.data?.events?.length, 100);
    const { status, body } = await list(101);
    check.holds(
      "limit 101 returns no more than 100 events",
      status === 422 || body?.data?.events?.length === 100,
      body,
    );
  },
  "8-07": async (check, { admin, fixtures }) => {
    await fixtures.manySuppressed();
    const { body } = await admin.asUser("GET", "/api/v1/suppression");
    check.equal("the length of the page and its limit", [body?.data?.length, body?.pagination?.limit], [50, 50]);
  },
  "8-08": async (check, { admin, fixtures }) => {
    await fixtures.manySuppressed();
    const query = { limit: 1 };
    const [events, entries] = [
      await admin.asUser("GET", "/api/v1/events", { query }),
      await admin.asUser("GET", "/api/v1/suppression", { query }),
    ];
    check.equal("page of events", events.body?.data?.pagination?.page, 1);
    check.equal("page of suppressions", entries.body?.pagination?.page, 1);
  },
  "8-09": async (check, context) => {
    const answer = await context.admin.send("test", { ...testMail(context, "delivered"), to: [] });
    check.error("a send without recipients", answer, 422, "VALIDATION_ERROR");
    check.status("a send to one recipient", await context.admin.send("test", testMail(context, "delivered")), 202);
  },
  "8-10": async (check, { admin, fixtures }) => {
    const { path } = await fixtures.domain();
    await fixtures.limits();
    check.equal("the status a minute later", (await admin.asUser("GET", path)).body?.verification_status, "Pending");
  },
  "8-11": async (check, { fixtures }) => {
    const { permitted, burst, tenSeconds, minute } = await fixtures.limits();
    check.equal("the statuses of permitted requests", [...new Set(permitted.map(({ status }) => status))], [202]);
    check.equal("the number of permitted requests", permitted.length, 98);
    for (const refused of [...burst.filter(({ status }) => status === 429), tenSeconds.refused, minute.refused]) {
      check.matches("Retry-After", refused.headers.get("retry-after"), /^[1-9]\d?$/);
    }
  },
  "8-12": async (check, { other, fixtures, request }) => {
    const { minute } = await fixtures.limits();
    check.status("the refused request", minute.refused, 429);
    check.equal("the status of a send with another key of the account", minute.byOtherKey.status, 429);
    check.equal("the status of a send in live mode", minute.inLiveMode.status, 400);
    check.status(
      "reading domains while the limit is reached",
      await request("GET", "/api/v1/domains", { headers: other().jwt }),
      200,
    );
  },
  "8-13": async (check, { admin, fixtures }) => {
    await fixtures.manySuppressed();
    for (const limit of [100, 101, 1000]) {
      const answer = await admin.asUser("GET", "/api/v1/suppression", { query: { limit } });
      check.status(`limit ${limit}`, answer, 200);
      const { data, pagination } = answer.body;
      check.equal("limit in the answer", pagination.limit, 100);
      check.equal("the length of the page", data.length, Math.min(pagination.total, 100));
      check.equal("total_pages", pagination.total_pages, Math.ceil(pagination.total / 100));
    }
  },
  "8-14": async (check, context) => {
    const many = (count: number) => Array.from({ length: count }, () => context.recipient("delivered"));
    const fields = { to: many(20), cc: many(20), bcc: many(11) };
    const answer = await context.admin.send("test", { ...testMail(context, "delivered"), ...fields });
    check.error("a send to 51 recipients", answer, 422, "VALIDATION_ERROR");
    const fitting = { ...fields, bcc: many(10) };
    check.status(
      "a send to 50 recipients",
      await context.admin.send("test", { ...testMail(context, "delivered"), ...fitting }),
      202,
    );
  },
};

function checkWindow(
  check: Check,
  seconds: number,
  {
    refused,
    tookSeconds,
    accepted,
  }: { refused: { status: number; text: string }; tookSeconds: number; accepted: { status: number } },
): void {
  check.holds(
    `the run filled the ${seconds} s window in time (otherwise the deployment is too slow)`,
    tookSeconds < seconds,
    tookSeconds,
  );
  check.equal("the status of a request above the limit", refused.status, 429);
  check.equal("the status of a request after the oldest left the window", accepted.status, 202);
}
