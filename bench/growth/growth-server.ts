import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { embeddedBinaries } from "../../service/src/dev/postgres/embedded-postgres.ts";
import { makeServerData, type PrivatePostgres, startServerOn } from "../../service/test/private-postgres.ts";

/** Fast and unsafe; no measurement uses them. */
const loadSettings = {
  shared_buffers: "1GB",
  fsync: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "8GB",
  autovacuum: "off",
  maintenance_work_mem: "512MB",
};

/** PostgreSQL's defaults except for the buffers, which are far smaller than the data, so that growth shows as reads. */
const measureSettings = { shared_buffers: "256MB" };

/** Starts a server with fast settings to load the data, then restarts it with normal settings for the measurement. */
export async function withLoadedServer<Loaded, Result>(
  load: (serverUrl: string) => Promise<Loaded>,
  work: (serverUrl: string, loaded: Loaded) => Promise<Result>,
): Promise<Result> {
  const binaries = await embeddedBinaries();
  const { folder, data } = makeServerData(binaries);
  try {
    const loaded = await during(await startServerOn(binaries, data, loadSettings), load);
    execFileSync("sync");
    return await during(await startServerOn(binaries, data, measureSettings), (url) => work(url, loaded));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function during<Result>(server: PrivatePostgres, work: (serverUrl: string) => Promise<Result>): Promise<Result> {
  try {
    return await work(server.url);
  } finally {
    await server.stop();
  }
}
