import pg from "pg";

/** Creates the role and the database of the service. As in production, the role owns its database and is not a superuser. */
export async function prepareDatabase(port: number, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl(port, password) });
  await client.connect();
  try {
    const { rows } = await client.query<{ hasRole: boolean; hasDatabase: boolean }>(`
      select exists (select from pg_roles where rolname = 'postern') as "hasRole",
        exists (select from pg_database where datname = 'postern') as "hasDatabase"`);
    const [found] = rows;
    if (found?.hasRole !== true) await client.query(`create role postern login password '${password}'`);
    if (found?.hasDatabase !== true) await client.query("create database postern owner postern");
  } finally {
    await client.end();
  }
}

export function superuserUrl(port: number, password: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
}

export function serviceUrl(port: number, password: string): string {
  return `postgres://postern:${password}@127.0.0.1:${port}/postern`;
}
