import { unknownId } from "./fields.ts";
import { type Followed, follow } from "./follow-send.ts";
import { runLimits } from "./limit-run.ts";
import { listAll } from "./list-all.ts";
import { once, until } from "./until.ts";
import type { World } from "./world.ts";

export type Scenes = ReturnType<typeof createScenes>;

export const sender = "acceptance@sandbox.test";

/** Things that happened once and that several tests look at, so that a run needs few sends. */
export function createScenes(world: Omit<World, "scenes">) {
  const { admin, recipient } = world;
  const mailTo = (outcome: string) => aMail(world, outcome);
  const followed = (outcome: string, isFinal: string[]) => once(() => follow(admin, "test", mailTo(outcome), isFinal));

  /** Every field of a request is given but the idempotency key. */
  const delivered = once(() => {
    const more = {
      cc: [recipient("delivered")],
      bcc: [recipient("delivered")],
      reply_to: "answers@sandbox.test",
      html: "<p>Hello.</p>",
    };
    return follow(admin, "test", { ...mailTo("delivered"), ...more }, ["delivered"]);
  });
  const bounced = once(async () => suppressing(await follow(admin, "test", mailTo("bounced"), ["bounced"])));
  const complained = once(async () => suppressing(await follow(admin, "test", mailTo("complained"), ["complained"])));

  /** Waits for the entry: it is what later sends are filtered by. */
  const suppressing = async (scene: Followed) => {
    const address = scene.payload.to[0] ?? "";
    const entry = await until(
      () => entryOf(address),
      (found) => found !== undefined,
    );
    return { ...scene, address, entry };
  };
  const entryOf = async (address: string) =>
    (await listAll(admin, "/api/v1/suppression")).find(({ email }) => email === address);

  return {
    delivered,
    bounced,
    softBounced: followed("soft-bounced", ["bounced"]),
    complained,
    rejected: followed("rejected", ["failed"]),
    /** The provider does not say whether it took the mail, so that it stays in `processing` for a second. */
    inDoubt: followed("unknown", ["delivered"]),
    /** The provider asks to come again later, so that it is back in `queued` for a second. */
    throttled: followed("throttled", ["delivered"]),
    /** Between hand-over and report lie 0.4 seconds; a slow machine may look away just then, so it has five tries. */
    submitted: once(async () => {
      for (let tries = 1; ; tries++) {
        const scene = await follow(admin, "test", mailTo("reordered"), ["complained"]);
        if (scene.seen.has("sent") || tries === 5) return scene;
      }
    }),
    /** One recipient is suppressed, the other is not. */
    partlySuppressed: once(async () => {
      const { address } = await bounced();
      const mail = mailTo("delivered");
      return {
        suppressed: address,
        rest: mail.to[0] ?? "",
        ...(await follow(admin, "test", { ...mail, to: [address, ...mail.to] }, ["delivered"])),
      };
    }),
    fullySuppressed: once(async () => {
      const [{ address }, complaint] = [await bounced(), await complained()];
      const mail = { ...mailTo("delivered"), to: [address], cc: [complaint.address] };
      return { addresses: [address, complaint.address], ...(await follow(admin, "test", mail, ["suppressed"])) };
    }),
    /** The same request three times, the third time with another payload. */
    repeated: once(async () => {
      const mail = { ...mailTo("delivered"), idempotency_key: `acceptance-${recipient("key")}` };
      const first = await admin.send("test", mail);
      const second = await admin.send("test", mail);
      const third = await admin.send("test", { ...mail, subject: "Another" });
      return { mail, first, second, third };
    }),
    /** An address is suppressed, taken off the list and mailed again. */
    removed: once(async () => {
      const before = await suppressing(await follow(admin, "test", mailTo("bounced"), ["bounced"]));
      const path = `/api/v1/suppression/${encodeURIComponent(before.address)}`;
      const removal = await admin.asUser("DELETE", path, { query: { mode: "test" } });
      const entry = await entryOf(before.address);
      const again = await follow(admin, "test", { ...mailTo("bounced"), to: [before.address] }, ["bounced"]);
      const nobody = `/api/v1/suppression/${encodeURIComponent(recipient("nobody"))}`;
      const unknownRemoval = await admin.asUser("DELETE", nobody, { query: { mode: "test" } });
      return { address: before.address, removal, entry, again, unknownRemoval };
    }),
    /** 60 suppressed addresses and as many events, more than a page has by default. */
    crowd: once(async () => {
      const crowds = [50, 10].map((size) => ({
        ...mailTo("bounced"),
        to: Array.from({ length: size }, () => recipient("bounced")),
      }));
      const sent = await Promise.all(crowds.map((mail) => follow(admin, "test", mail, ["bounced"])));
      const addresses = crowds.flatMap(({ to }) => to);
      await until(
        () => listAll(admin, "/api/v1/suppression"),
        (entries) => addresses.every((address) => entries.some(({ email }) => email === address)),
      );
      return { addresses, ids: sent.map(({ record }) => record?.id) };
    }),
    /** Live mail from the verified domain to SES's own mailbox that always accepts; by key, and by JWT. */
    live: once(() => follow(admin, "live", liveMail(world), ["delivered"], 60)),
    liveByJwt: once(() => follow(admin, "live", liveMail(world), ["delivered"], 60, admin.jwt)),
    /** A domain registered in this run, with the answer to that and to looking at it afterwards. */
    domain: once(async () => {
      const name = world.freshDomain();
      const registered = await admin.registerDomain(name);
      const path = `/api/v1/domains/${registered.body?.domain_id}`;
      const [got, list] = [await admin.asUser("GET", path), await admin.asUser("GET", "/api/v1/domains")];
      return { name, path, registered, got, listed: rowOf(list.body, name, "domain_name"), list };
    }),
    removedDomain: once(async () => {
      const name = world.freshDomain();
      const path = `/api/v1/domains/${(await admin.registerDomain(name)).body?.domain_id}`;
      return { name, path, removal: await admin.asUser("DELETE", path) };
    }),
    key: once(async () => {
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const lasting = await admin.createKey({ name: "acceptance lasting", type: "live" });
      const expiring = await admin.createKey({ name: "acceptance expiring", type: "test", expires_at: expiresAt });
      const list = await admin.asUser("GET", "/api/v1/api-keys");
      return { lasting, expiring, expiresAt, list, listed: rowOf(list.body, lasting.body?.id, "id") };
    }),
    /** A key that is used, revoked, and used again. */
    revokedKey: once(async () => {
      const { body: key } = await admin.createKey({ name: "acceptance revoked", type: "test" });
      const use = () =>
        world.ask("GET", `/api/v1/send/${unknownId}/status`, { headers: { "x-api-key": String(key?.key) } });
      const path = `/api/v1/api-keys/${key?.id}`;
      return { key, path, before: await use(), revocation: await admin.asUser("DELETE", path), after: await use() };
    }),
    /** What the second account's sends met at the limits; nothing else sends from it in test mode. */
    limits: once(() => runLimits(world.other())),
  };
}

/** A small test mail to somebody new. */
export function aMail({ recipient }: Pick<World, "recipient">, outcome: string) {
  return { from: sender, to: [recipient(outcome)], subject: "Acceptance", text: "Hello." };
}

function liveMail({ verifiedDomain, recipient }: Omit<World, "scenes">) {
  const [label = ""] = recipient("success").split("@");
  return {
    from: `acceptance@${verifiedDomain()}`,
    to: [`${label}@simulator.amazonses.com`],
    reply_to: `answers@${verifiedDomain()}`,
    subject: `Acceptance ${label}`,
    text: "Hello in text.",
    html: "<p>Hello in HTML.</p>",
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a row of an answer, looked at and not believed
function rowOf(list: unknown, value: unknown, field: string): any {
  return Array.isArray(list) ? list.find((row) => row?.[field] === value) : undefined;
}
