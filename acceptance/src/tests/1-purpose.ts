import { allEndpoints } from "../fields.ts";
import { aMail } from "../scenes.ts";
import type { Tests } from "../suite.ts";

export const purposeTests: Tests = {
  "0-01": async (check, { ask }) => {
    for (const { method, path } of allEndpoints) {
      const { status } = await ask(method, path, method === "POST" ? { body: {} } : {});
      // 401 is the answer of something that is there; a path that is not there says 404.
      check.equal(`the status of ${method} ${path} without credentials`, status, 401);
    }
  },
  "0-02": async (check, world) => {
    const { answer } = await world.scenes.delivered();
    check.matches("the type of a 202", answer.headers.get("content-type"), /^application\/json\b/);
    check.equal("what the 202 parses to", typeof answer.body, "object");
    const broken = await world.admin.send("test", '{"from": ');
    check.error("a body that is not JSON", broken, 422, "VALIDATION_ERROR");
    check.matches("the type of an error", broken.headers.get("content-type"), /^application\/json\b/);
  },
  "0-03": async (check, { scenes }) => {
    const [{ accepted, record, events }, { entry }, key] = [
      await scenes.delivered(),
      await scenes.bounced(),
      await scenes.key(),
    ];
    check.timestamp("queued_at", accepted.queued_at);
    check.timestamp("sent_at", record.sent_at);
    check.timestamp("event_timestamp", events[0]?.event_timestamp);
    check.timestamp("suppressed_at", entry?.suppressed_at);
    check.timestamp("created_at", key.lasting.body.created_at);
    check.timestamp("expires_at", key.expiring.body.expires_at);
  },
  "1-01": async (check, { scenes }) => {
    const { answer, accepted, seen } = await scenes.throttled();
    check.status("the send", answer, 202);
    check.equal("the status in the 202", accepted.status, "queued");
    check.holds("it was read as not handed over after the 202", seen.get("queued")?.sent_at === null, [...seen.keys()]);
  },
  "1-02": async (check, { scenes }) => {
    const { accepted, suppressed, rest, events } = await scenes.partlySuppressed();
    check.equal("suppressed_recipients", accepted.suppressed_recipients, [suppressed]);
    const reached = events.filter(({ event_type }) => event_type === "Delivery").map(({ recipient }) => recipient);
    check.equal("who got it", reached, [rest]);
  },
  "1-03": async (check, world) => {
    const { name } = await world.scenes.domain();
    const fromPending = await world.admin.send("test", { ...aMail(world, "delivered"), from: `hello@${name}` });
    check.error("a send from a registered domain that is not verified", fromPending, 400, "DOMAIN_NOT_VERIFIED");
    const { answer } = await world.scenes.live();
    check.status("a send from a verified domain", answer, 202);
  },
  "1-04": async (check, { scenes, admin }) => {
    const { accepted, record } = await scenes.delivered();
    check.uuid("id", accepted.id);
    check.equal("the status in the end", record.status, "delivered");
    const later = await admin.status("test", accepted.id);
    check.equal("the record when it is read again", later.body, record);
  },
  "1-05": async (check, { scenes }) => {
    for (const [type, scene] of [
      ["Delivery", scenes.delivered],
      ["Bounce", scenes.bounced],
      ["Complaint", scenes.complained],
    ] as const) {
      const { accepted, events } = await scene();
      const found = events.find(({ event_type }) => event_type === type);
      check.equal(`the send of the ${type} event`, found?.email_id, accepted.id);
    }
  },
  "1-06": async (check, { scenes }) => {
    check.equal("the reason after a hard bounce", (await scenes.bounced()).entry?.reason, "hard_bounce");
    check.equal("the reason after a complaint", (await scenes.complained()).entry?.reason, "complaint");
  },
  "1-07": async (check, { scenes }) => {
    const { registered, got } = await scenes.domain();
    check.holds("there are DNS records", registered.body?.dns_records?.length > 0, registered.body);
    check.oneOf("the status that get tells", got.body?.verification_status, ["Pending", "Success", "Failed"]);
  },
  "1-08": async (check, { admin }) => {
    const { body } = await admin.createKey({ name: "acceptance short-lived", type: "test" });
    const ids = async () => (await admin.asUser("GET", "/api/v1/api-keys")).body.map(({ id }: { id: string }) => id);
    check.holds("the new key is listed", (await ids()).includes(body.id));
    check.status("revoking it", await admin.asUser("DELETE", `/api/v1/api-keys/${body.id}`), 200);
    check.holds("the revoked key is not listed", !(await ids()).includes(body.id));
  },
  "1-09": async (check, { admin }) => {
    for (const thing of ["templates", "campaigns", "contacts", "lists"]) {
      const answer = await admin.asUser("GET", `/api/v1/${thing}`);
      check.error(`/api/v1/${thing}`, answer, 404, "NOT_FOUND");
    }
  },
};
