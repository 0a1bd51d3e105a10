import type { Check } from "../check.ts";
import { aMail } from "../scenes.ts";
import type { Tests } from "../suite.ts";

export const limitTests: Tests = {
  "8-01": async (check, { scenes }) => {
    const { burst, second } = await scenes.limits();
    check.equal(
      "the statuses of four at once",
      burst.map(({ status }) => status).toSorted((a, b) => a - b),
      [202, 202, 202, 429],
    );
    check.status("one a second later", second.accepted, 202);
  },
  "8-02": async (check, { scenes }) => isExact(check, 10, (await scenes.limits()).tenSeconds),
  "8-03": async (check, { scenes }) => isExact(check, 60, (await scenes.limits()).minute),
  "8-04": async (check, { scenes }) => {
    const { burst, tenSeconds, minute } = await scenes.limits();
    for (const answer of [...burst.filter(({ status }) => status !== 202), tenSeconds.refused, minute.refused]) {
      check.error("a request too many", answer, 429, "RATE_LIMIT_EXCEEDED");
    }
  },
  "8-05": async (check, { admin, scenes }) => {
    await scenes.crowd();
    const { body } = await admin.asUser("GET", "/api/v1/events", { query: { mode: "test" } });
    check.equal("how many", [body?.data?.events?.length, body?.data?.pagination?.limit], [50, 50]);
  },
  "8-06": async (check, { other, scenes }) => {
    await scenes.limits();
    const list = (limit: number) => other().asUser("GET", "/api/v1/events", { query: { mode: "test", limit } });
    check.equal("how many with 100", (await list(100)).body?.data?.events?.length, 100);
    const { status, body } = await list(101);
    check.holds("101 gives no more", status === 422 || body?.data?.events?.length === 100, body);
  },
  "8-07": async (check, { admin, scenes }) => {
    await scenes.crowd();
    const { body } = await admin.asUser("GET", "/api/v1/suppression", { query: { mode: "test" } });
    check.equal("how many", [body?.data?.length, body?.pagination?.limit], [50, 50]);
  },
  "8-08": async (check, { admin, scenes }) => {
    await scenes.crowd();
    const query = { mode: "test", limit: 1 };
    const [events, entries] = [
      await admin.asUser("GET", "/api/v1/events", { query }),
      await admin.asUser("GET", "/api/v1/suppression", { query }),
    ];
    check.equal("page of events", events.body?.data?.pagination?.page, 1);
    check.equal("page of suppressions", entries.body?.pagination?.page, 1);
  },
  "8-09": async (check, world) => {
    const answer = await world.admin.send("test", { ...aMail(world, "delivered"), to: [] });
    check.error("a send to nobody", answer, 422, "VALIDATION_ERROR");
    check.status("a send to one", await world.admin.send("test", aMail(world, "delivered")), 202);
  },
  "8-10": async (check, { admin, scenes }) => {
    const { path } = await scenes.domain();
    await scenes.limits();
    check.equal("the status a minute later", (await admin.asUser("GET", path)).body?.verification_status, "Pending");
  },
  "8-11": async (check, { scenes }) => {
    const { permitted, burst, tenSeconds, minute } = await scenes.limits();
    check.equal("statuses of permitted ones", [...new Set(permitted.map(({ status }) => status))], [202]);
    check.equal("how many those were", permitted.length, 98);
    for (const refused of [...burst.filter(({ status }) => status === 429), tenSeconds.refused, minute.refused]) {
      check.matches("Retry-After", refused.headers.get("retry-after"), /^[1-9]\d?$/);
    }
  },
  "8-12": async (check, { other, scenes, ask }) => {
    const { minute } = await scenes.limits();
    check.status("the refused one", minute.refused, 429);
    check.equal("another key of the account", minute.byOtherKey.status, 429);
    check.equal("its live mode, which is judged on", minute.inLiveMode.status, 400);
    check.status("the account goes on reading", await ask("GET", "/api/v1/domains", { headers: other().jwt }), 200);
  },
  "8-13": async (check, { admin }) => {
    const answer = await admin.asUser("GET", "/api/v1/suppression", { query: { limit: 101 } });
    check.error("limit 101", answer, 422, "VALIDATION_ERROR");
  },
  "8-14": async (check, world) => {
    const many = (count: number) => Array.from({ length: count }, () => world.recipient("delivered"));
    const fields = { to: many(20), cc: many(20), bcc: many(11) };
    const answer = await world.admin.send("test", { ...aMail(world, "delivered"), ...fields });
    check.error("a send to 51", answer, 422, "VALIDATION_ERROR");
    const fitting = { ...fields, bcc: many(10) };
    check.status("a send to 50", await world.admin.send("test", { ...aMail(world, "delivered"), ...fitting }), 202);
  },
};

function isExact(
  check: Check,
  seconds: number,
  {
    refused,
    tookSeconds,
    accepted,
  }: { refused: { status: number; text: string }; tookSeconds: number; accepted: { status: number } },
): void {
  check.holds(
    `the window of ${seconds} s could be filled in time; the deployment may be too slow`,
    tookSeconds < seconds,
    tookSeconds,
  );
  check.equal("the status of one too many", refused.status, 429);
  check.equal("the status of one when the oldest has left", accepted.status, 202);
}
