import { rmSync } from "node:fs";
import pg from "pg";
import { embeddedBinaries } from "../../service/src/dev/postgres/embedded-postgres.ts";
import { makeServerData, startServerOn } from "../../service/test/private-postgres.ts";
import { accounts, insertAccounts } from "./cost-accounts.ts";
import { type Costs, costDuring, openConnections } from "./metered-connections.ts";
import { openCycle } from "./send-cycle.ts";
import { importTree } from "./tree.ts";

export interface TreeCosts {
  lone: Costs;
  batched: Costs;
}

/**
 * Nothing but the measured connections writes, and no page is written in full because a checkpoint came at another moment. Counts do not
 * depend on the disk, so nothing waits for it.
 */
const quietServer = {
  fsync: "off",
  full_page_writes: "off",
  autovacuum: "off",
  checkpoint_timeout: "1d",
  max_wal_size: "16GB",
  shared_buffers: "512MB",
};

const batchSize = 50;

/** Measures the checkout in `folder` on a new server. The first sends of every account are warm-up. */
async function measureTree(folder: string, loneCycles: number): Promise<TreeCosts> {
  const tree = await importTree(folder);
  const binaries = await embeddedBinaries();
  const made = makeServerData(binaries);
  const server = await startServerOn(binaries, made.data, quietServer);
  try {
    await tree.migrate(server.url, () => undefined);
    const reader = tree.openDatabase({
      url: server.url,
      poolSize: 1,
      applicationName: "reader",
      onIdleError: () => undefined,
    });
    await tree.makePartitionsAhead(reader, "month");
    await insertAccounts(reader);
    const connections = openConnections(tree, server.url);
    const cycle = await openCycle(tree, connections);
    const run = (cycles: number, size: number) =>
      costDuring(connections, reader, cycles * size, async () => {
        for (let done = 0; done < cycles; done++) await cycle(size);
      });
    await run(accounts / 2 / batchSize, batchSize);
    await run(loneCycles / 4, 1);
    await settleDown(server.url);
    const lone = await run(loneCycles, 1);
    await settleDown(server.url);
    const batched = await run(Math.ceil((1.25 * loneCycles) / batchSize), batchSize);
    await Promise.all([reader, ...Object.values(connections)].map((each) => each.close()));
    return { lone, batched };
  } finally {
    await server.stop();
    rmSync(made.folder, { recursive: true, force: true });
  }
}

/** Rows of finished sends would otherwise be removed at a moment that depends on the warm-up. */
async function settleDown(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("vacuum (analyze)");
  await client.query("checkpoint");
  await client.end();
}

const [folder = ".", cycles = "800"] = process.argv.slice(2);
process.stdout.write(`${JSON.stringify(await measureTree(folder, Number(cycles)))}\n`);
