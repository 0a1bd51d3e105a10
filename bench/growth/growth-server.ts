import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { embeddedBinaries } from "../../service/src/dev/embedded-postgres.ts";
import { makeServerData, type PrivatePostgres, startServerOn } from "../../service/test/private-postgres.ts";

/** Nothing is measured with these. */
const whileLoading = {
  shared_buffers: "1GB",
  fsync: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "8GB",
  autovacuum: "off",
  maintenance_work_mem: "512MB",
};

/** As PostgreSQL comes, but for the buffers: far fewer than are stored, so that what grows has to be read. */
const whileMeasured = { shared_buffers: "256MB" };

/** A server that is loaded with settings that make it quick, and started again with its own for what is measured. */
export async function withLoadedServer<Loaded, Result>(
  load: (serverUrl: string) => Promise<Loaded>,
  work: (serverUrl: string, loaded: Loaded) => Promise<Result>,
): Promise<Result> {
  const binaries = await embeddedBinaries();
  const { folder, data } = makeServerData(binaries);
  try {
    const loaded = await during(await startServerOn(binaries, data, whileLoading), load);
    execFileSync("sync");
    return await during(await startServerOn(binaries, data, whileMeasured), (url) => work(url, loaded));
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
