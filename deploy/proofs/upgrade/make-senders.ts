import { join } from "node:path";

/** Prints accounts with a domain and a key, made by the code in another folder: only that code knows the schema of its database. */
const { folder, count, limits } = JSON.parse(process.argv[2] ?? "");
const load = (file: string) => import(join(folder, "service", file));

const { makeSenders }: typeof import("../../../service/proofs/sends/sending-client.ts") = await load(
  "proofs/sends/sending-client.ts",
);
const { readConfig }: typeof import("../../../service/src/config.ts") = await load("src/config.ts");
const { createCredentialDeps }: typeof import("../../../service/src/processes/api-deps.ts") =
  await load("src/processes/api-deps.ts");
const { openTestDatabase }: typeof import("../../../service/test/template-database.ts") =
  await load("test/template-database.ts");

const db = openTestDatabase(process.env.DATABASE_URL ?? "");
const senders = await makeSenders(db, createCredentialDeps(readConfig(process.env)), count, limits);
await db.close();
process.stdout.write(JSON.stringify(senders));
