import type { Tests } from "../suite.ts";
import { testMail } from "../test-mail.ts";
import { trackSend } from "../track-send.ts";

const dayMs = 86_400_000;

/** How callers may write names, times and addresses. */
export const writtenFormTests: Tests = {
  "2.5-09": async (check, context) => {
    const written = context.recipient("Delivered").replace("@sandbox.test", "@Sandbox.TEST");
    const { record, events } = await trackSend(
      context.admin,
      "test",
      { ...testMail(context, "delivered"), to: [written] },
      ["delivered"],
    );
    check.equal("the recipient in the status record", record?.to_addresses, [written]);
    check.equal(
      "the recipient in the events",
      events.map(({ recipient }) => recipient),
      [written],
    );
  },
  "4.1-20": async (check, context) => {
    const fifty = Array.from({ length: 50 }, () => context.recipient("delivered"));
    const repeated = {
      ...testMail(context, "delivered"),
      to: fifty,
      cc: fifty.map((address) => address.toUpperCase()),
    };
    const accepted = await context.admin.send("test", repeated);
    check.status("a send with 100 recipients of which 50 are different", accepted, 202);
    const { body } = await context.admin.status("test", accepted.body?.id);
    check.equal("the recipients of the send", body?.to_addresses, fifty);
    const tooMany = await context.admin.send("test", { ...repeated, bcc: [context.recipient("delivered")] });
    check.error("a send with 51 different recipients", tooMany, 422, "VALIDATION_ERROR");
  },
  "4.3-06": async (check, { admin, recipient }) => {
    const [label = ""] = recipient("reserved").split("@");
    const name = `${label.replaceAll(/[^a-z0-9]/g, "-")}.example.com`;
    const registered = await admin.registerDomain(name);
    check.status(`registering ${name}`, registered, 201);
    const { body } = await admin.asUser("GET", `/api/v1/domains/${registered.body?.domain_id}`);
    check.equal("verification_status", body?.verification_status, "Pending");
    for (const domain_name of ["com", "co.uk", "acme", "10.0.0.1"]) {
      const answer = await admin.asUser("POST", "/api/v1/domains", { body: { domain_name } });
      check.error(`registering "${domain_name}"`, answer, 422, "VALIDATION_ERROR");
    }
  },
  "4.3-07": async (check, { admin }) => {
    const answer = await admin.asUser("POST", "/api/v1/domains", { body: { domain_name: "sandbox.test" } });
    check.error("registering sandbox.test", answer, 409, "CONFLICT");
  },
  "4.7-06": async (check, { admin }) => {
    const day = new Date(Date.now() + 400 * dayMs).toISOString().slice(0, 10);
    const forms = [
      [day, `${day}T00:00:00Z`],
      [day.replaceAll("-", ""), `${day}T00:00:00Z`],
      [`${day}T12:30`, `${day}T12:30:00Z`],
      [`${day}T12:30:15.5`, `${day}T12:30:15.500Z`],
      [`${day.replaceAll("-", "")}T123015Z`, `${day}T12:30:15Z`],
      [`${day}T12:30:15+02:00`, `${day}T10:30:15Z`],
    ] as const;
    for (const [expires_at, time] of forms) {
      const answer = await admin.createKey({ name: "acceptance", type: "test", expires_at });
      check.status(`a key with expires_at ${expires_at}`, answer, 201);
      check.equal(`expires_at for ${expires_at}`, Date.parse(answer.body?.expires_at), Date.parse(time));
    }
  },
};
