import type { Queryable } from "../../db/database.ts";

/** Every transaction before `xid` had ended when it was read. It means nothing on another run of the server: a failover uses numbers again. */
export interface Horizon {
  xid: string;
  serverRun: string;
}

export async function readHorizon(source: Queryable): Promise<Horizon> {
  const [row] = await source.query<Horizon>({
    name: "read-horizon",
    text: `
      select pg_snapshot_xmin(pg_current_snapshot())::xid::text as xid, server_run() as "serverRun"`,
  });
  if (row === undefined) throw new Error("the database returned no snapshot");
  return row;
}

/** SQL: was the row `alias` written since the horizon `parameter`, which may be null? */
export function isChanged(alias: string, parameter: string): string {
  return `(${parameter}::text is null or age(${alias}.xmin) <= age(${parameter}::text::xid))`;
}
