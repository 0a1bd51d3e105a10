import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { giveToServer } from "../private-postgres.ts";

const fetchScript = fileURLToPath(new URL("fetch-pgbouncer.sh", import.meta.url));
const documented = fileURLToPath(new URL("../../../deploy/pgbouncer/pgbouncer.ini", import.meta.url));

/** `current`: of Debian sid, fetched once. `outdated`: 1.18 of Debian 12, from before prepared statements. */
export type PgbouncerVersion = "current" | "outdated";

/** Copies what was fetched into `folder`, because the server user may not read the cache of another user. */
export function programIn(folder: string, version: PgbouncerVersion): [string, ...string[]] {
  if (version === "outdated") return ["/usr/sbin/pgbouncer"];
  const fetched = execFileSync(fetchScript, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  cpSync(fetched, folder, { recursive: true });
  const [loader = ""] = globSync("lib/ld-linux-*.so.*", { cwd: folder });
  return [join(folder, loader), "--library-path", join(folder, "lib"), join(folder, "pgbouncer")];
}

/** Values by name; `database` is the part after `=` of the entry under [databases]. Undefined leaves a line out. */
export type ConfigurationChanges = Record<string, string | undefined>;

/** Writes the configuration of deploy/pgbouncer with other addresses and these changes. */
export function writeConfiguration(folder: string, target: URL, port: number, changes: ConfigurationChanges): void {
  const name = target.pathname.slice(1);
  const { database = `host=${target.hostname} port=${target.port} dbname=${name}`, ...others } = changes;
  const values: ConfigurationChanges = {
    listen_port: String(port),
    auth_file: join(folder, "userlist.txt"),
    unix_socket_dir: "",
    admin_users: target.username,
    ...others,
  };
  const kept = readFileSync(documented, "utf8")
    .replace(/^postern = .*$/m, `${name} = ${database}`)
    .split("\n")
    .filter((line) => !Object.keys(values).some((key) => line.startsWith(`${key} =`)));
  const added = Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [`${key} = ${value}`]));
  writeFor(join(folder, "pgbouncer.ini"), [...kept, ...added, ""].join("\n"));
  writeFor(join(folder, "userlist.txt"), `"${target.username}" "${target.password}"\n`);
}

function writeFor(path: string, text: string): void {
  writeFileSync(path, text);
  giveToServer(path);
}
