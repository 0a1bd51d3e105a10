import { unknownId } from "./fields.ts";
import { runRateLimits } from "./fill-rate-windows.ts";
import { listAll } from "./list-all.ts";
import type { RunContext } from "./run-context.ts";
import { sendWithTag } from "./tagged-sends.ts";
import { liveMail, testMail } from "./test-mail.ts";
import { followSend, type TrackedSend, trackSend } from "./track-send.ts";
import { once, until } from "./until.ts";
import { logInAsViewer } from "./viewer.ts";

export type Fixtures = ReturnType<typeof createFixtures>;

/** The suite creates each fixture once and several tests read it, so that a run needs few sends. */
export function createFixtures(context: RunContext) {
  const { admin, recipient } = context;
  const mailTo = (outcome: string) => testMail(context, outcome);
  const tracked = (outcome: string, finalStatuses: string[]) =>
    once(() => trackSend(admin, "test", mailTo(outcome), finalStatuses));

  /** Sets every request field except the idempotency key. */
  const delivered = once(() => {
    const more = {
      cc: [recipient("delivered")],
      bcc: [recipient("delivered")],
      reply_to: "answers@sandbox.test",
      html: "<p>Hello.</p>",
    };
    return trackSend(admin, "test", { ...mailTo("delivered"), ...more }, ["delivered"]);
  });
  const bounced = once(async () => withSuppression(await trackSend(admin, "test", mailTo("bounced"), ["bounced"])));
  const complained = once(async () =>
    withSuppression(await trackSend(admin, "test", mailTo("complained"), ["complained"])),
  );

  /** Waits for the suppression entry, because later sends depend on it. */
  const withSuppression = async (send: TrackedSend) => {
    const address = send.payload.to[0] ?? "";
    const entry = await until(
      () => findSuppression(address),
      (found) => found !== undefined,
    );
    return { ...send, address, entry };
  };
  const findSuppression = async (address: string) =>
    (await listAll(admin, "/api/v1/suppression")).find(({ email }) => email === address);
  const keyWith = async (scope: string) => {
    const { body } = await admin.createKey({ name: `acceptance ${scope}`, type: "test", scopes: [scope] });
    return { "x-api-key": String(body?.key) };
  };

  return {
    delivered,
    bounced,
    softBounced: tracked("soft-bounced", ["bounced"]),
    complained,
    rejected: tracked("rejected", ["failed"]),
    /** The provider's answer is lost, so the send stays in `processing` for a second. */
    inDoubt: tracked("unknown", ["delivered"]),
    /** The provider throttles the send, so it returns to `queued` for a second. */
    throttled: tracked("throttled", ["delivered"]),
    /** The send is `sent` for only 0.4 seconds. A slow machine can miss that status, so the fixture tries five times. */
    sent: once(async () => {
      for (let tries = 1; ; tries++) {
        const send = await trackSend(admin, "test", mailTo("reordered"), ["complained"]);
        if (send.seen.has("sent") || tries === 5) return send;
      }
    }),
    /** A send to one suppressed recipient and one other. */
    partlySuppressed: once(async () => {
      const { address } = await bounced();
      const mail = mailTo("delivered");
      return {
        suppressed: address,
        rest: mail.to[0] ?? "",
        ...(await trackSend(
          admin,
          "test",
          { ...mail, to: [address, ...mail.to], idempotency_key: `acceptance-${recipient("key")}` },
          ["delivered"],
        )),
      };
    }),
    /**
     * The provider throttles the first mail, so it waits for a second. In that time the second mail bounces, which suppresses a
     * recipient of both. A slow machine can suppress the recipient too late, so the fixture tries three times.
     */
    suppressedWhileQueued: once(async () => {
      for (let tries = 1; ; tries++) {
        const suppressed = recipient("bounced");
        const waiting = { ...mailTo("throttled"), cc: [suppressed] };
        const [answer] = await admin.sendTogether("test", [waiting, { ...mailTo("bounced"), to: [suppressed] }]);
        if (answer === undefined) throw new Error("the API did not answer");
        const send = await followSend(admin, "test", waiting, answer, ["delivered", "bounced"]);
        const isFiltered = send.events.some(({ event_type }) => event_type === "Suppression");
        if (isFiltered || tries === 3) return { ...send, suppressed };
      }
    }),
    fullySuppressed: once(async () => {
      const [{ address }, complaint] = [await bounced(), await complained()];
      const mail = { ...mailTo("delivered"), to: [address], cc: [complaint.address] };
      return { addresses: [address, complaint.address], ...(await trackSend(admin, "test", mail, ["suppressed"])) };
    }),
    /** Three requests with one idempotency key. The third has another payload. */
    repeatedSend: once(async () => {
      const mail = { ...mailTo("delivered"), idempotency_key: `acceptance-${recipient("key")}` };
      const first = await admin.send("test", mail);
      const second = await admin.send("test", mail);
      const third = await admin.send("test", { ...mail, subject: "Another" });
      return { mail, first, second, third };
    }),
    /** Suppresses an address, removes the suppression and sends to the address again. */
    suppressionRemoved: once(async () => {
      const before = await withSuppression(await trackSend(admin, "test", mailTo("bounced"), ["bounced"]));
      const path = `/api/v1/suppression/${encodeURIComponent(before.address)}`;
      const removal = await admin.asUser("DELETE", path);
      const entry = await findSuppression(before.address);
      const again = await trackSend(admin, "test", { ...mailTo("bounced"), to: [before.address] }, ["bounced"]);
      const nobody = `/api/v1/suppression/${encodeURIComponent(recipient("nobody"))}`;
      const unknownRemoval = await admin.asUser("DELETE", nobody);
      return { address: before.address, removal, entry, again, unknownRemoval };
    }),
    /** 60 suppressed addresses with one event each: more than a default page holds. */
    manySuppressed: once(async () => {
      const mails = [50, 10].map((size) => ({
        ...mailTo("bounced"),
        to: Array.from({ length: size }, () => recipient("bounced")),
      }));
      const sends = await Promise.all(mails.map((mail) => trackSend(admin, "test", mail, ["bounced"])));
      const addresses = mails.flatMap(({ to }) => to);
      await until(
        () => listAll(admin, "/api/v1/suppression"),
        (entries) => addresses.every((address) => entries.some(({ email }) => email === address)),
      );
      return { addresses, ids: sends.map(({ record }) => record?.id) };
    }),
    liveSend: once(() => trackSend(admin, "live", liveMail(context), ["delivered"], 60)),
    liveSendByJwt: once(() => trackSend(admin, "live", liveMail(context), ["delivered"], 60, admin.jwt)),
    /** The provider accepts the mail and then rejects its content. */
    rejectedAfterSent: once(async () => {
      const mail = liveMail(context);
      await context.simulator().rejectNextMailTo(mail.to[0] ?? "");
      return trackSend(admin, "live", mail, ["failed"], 60);
    }),
    /** A domain that this run registers, with the answers to register, get and list. */
    domain: once(async () => {
      const name = context.freshDomain();
      const registered = await admin.registerDomain(name);
      const path = `/api/v1/domains/${registered.body?.domain_id}`;
      const [got, list] = [await admin.asUser("GET", path), await admin.asUser("GET", "/api/v1/domains")];
      return { name, path, registered, got, listed: findRow(list.body, name, "domain_name"), list };
    }),
    removedDomain: once(async () => {
      const name = context.freshDomain();
      const path = `/api/v1/domains/${(await admin.registerDomain(name)).body?.domain_id}`;
      return { name, path, removal: await admin.asUser("DELETE", path) };
    }),
    apiKeys: once(async () => {
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const lasting = await admin.createKey({ name: "acceptance lasting", type: "live" });
      const expiring = await admin.createKey({ name: "acceptance expiring", type: "test", expires_at: expiresAt });
      const list = await admin.asUser("GET", "/api/v1/api-keys");
      return { lasting, expiring, expiresAt, list, listed: findRow(list.body, lasting.body?.id, "id") };
    }),
    /** The headers of a key that has one scope. */
    keyWith: { send: once(() => keyWith("send")), read: once(() => keyWith("read")) },
    /** The headers of a viewer of the first account. */
    viewer: once(() => logInAsViewer(context)),
    /** Two sends with one tag, and the notifications of their deliveries. */
    taggedSends: once(() => sendWithTag(context)),
    /** A key that the fixture uses, revokes and uses again. */
    revokedKey: once(async () => {
      const { body: key } = await admin.createKey({ name: "acceptance revoked", type: "test" });
      const headers = { "x-api-key": String(key?.key) };
      const use = () => context.request("GET", `/api/v1/send/${unknownId}/status`, { headers });
      const path = `/api/v1/api-keys/${key?.id}`;
      return { key, path, before: await use(), revocation: await admin.asUser("DELETE", path), after: await use() };
    }),
    /** The second account sends until it reaches each limit. Nothing else sends from it in test mode. */
    limits: once(() => runRateLimits(context.other())),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a row of an untrusted response
function findRow(list: unknown, value: unknown, field: string): any {
  return Array.isArray(list) ? list.find((row) => row?.[field] === value) : undefined;
}
