import type { Tests } from "../suite.ts";
import { testMail } from "../test-mail.ts";
import { followSend } from "../track-send.ts";

export const removedSenderTests: Tests = {
  "4.6-06": async (check, context) => {
    const name = context.removableDomain();
    const { admin } = context;
    const domains: { domain_id: number; domain_name: string }[] = (await admin.asUser("GET", "/api/v1/domains")).body;
    const id = domains.find(({ domain_name }) => domain_name === name)?.domain_id;
    check.integer(`domain_id of ${name}`, id);
    const from = `acceptance@${name}`;
    // The provider throttles this mail, so it is in the queue for a second.
    const mail = { ...testMail(context, "throttled"), from };
    const queued = await admin.send("test", mail);
    check.status("a send before the removal", queued, 202);
    check.status("the removal", await admin.asUser("DELETE", `/api/v1/domains/${id}`), 200);

    const { record } = await followSend(admin, "test", mail, queued, ["failed", "delivered"]);
    check.equal("the status of the queued send", record.status, "failed");
    check.equal("sent_at of the queued send", record.sent_at, null);
    for (const mode of ["test", "live"] as const) {
      const later = await admin.send(mode, { ...testMail(context, "delivered"), from });
      check.error(`a ${mode} send after the removal`, later, 400, "DOMAIN_NOT_VERIFIED");
    }
  },
};
