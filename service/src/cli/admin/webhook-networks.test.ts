import { expect, test } from "vitest";
import { aUser } from "../../../test/builders.ts";
import { runPostern } from "../../../test/run-postern.ts";
import { useTestDatabase } from "../../../test/use-test-database.ts";
import { listWebhookNetworks } from "../../webhooks/network-store.ts";

const shared = useTestDatabase();
const run = (...args: string[]) => runPostern(["admin", "webhook-networks", ...args], { DATABASE_URL: shared.url });

test("postern admin webhook-networks shows, allows and removes networks of one account", async () => {
  const [{ accountId, email }, other] = [await aUser(shared.db), await aUser(shared.db)];
  expect((await run(email)).stdout).toBe("The webhooks of An account may go to public addresses only.\n");
  await run(email, "--allow", "10.20.0.0/16");
  const { code, stdout } = await run(accountId, "--allow", "fd00::/8");
  expect(code).toBe(0);
  expect(stdout).toBe("The webhooks of An account may go to public addresses and to:\n  10.20.0.0/16\n  fd00::/8\n");
  expect((await run(email, "--allow", "10.20.0.0/16")).stdout).toContain("10.20.0.0/16 was already allowed.");
  await run(email, "--remove", "fd00::/8", "--allow", "10.0.0.7");
  expect(await listWebhookNetworks(shared.db, accountId)).toEqual(["10.0.0.7/32", "10.20.0.0/16"]);
  expect(await listWebhookNetworks(shared.db.forAccount(accountId), accountId)).toHaveLength(2);
  expect(await listWebhookNetworks(shared.db.forAccount(other.accountId), accountId)).toEqual([]);
  expect((await run(email, "--remove", "fd00::/8")).stdout).toContain("fd00::/8 was not allowed");
  expect(await listWebhookNetworks(shared.db, other.accountId)).toEqual([]);
});

test.for(["10.0.0.1/8", "10.0.0.0/33", "internal", ""])("it refuses %j as a network", async (network) => {
  const { email } = await aUser(shared.db);
  const { code, stderr } = await run(email, `--allow=${network}`);
  expect(code).toBe(64);
  expect(stderr).toContain(`not "${network}"`);
});
