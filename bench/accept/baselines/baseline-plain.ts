import pg from "pg";
import { acceptPlainly } from "./accept-plainly.ts";
import { serveSends } from "./serve-sends.ts";

/** The duties of POST /api/v1/send, written plainly: each request is one transaction with one statement for each duty. */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL_SIZE) });

await serveSends(async (mail, apiKey) => {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const stored = await acceptPlainly(client, mail, apiKey);
    await client.query("commit");
    return stored;
  } catch (error) {
    await client.query("rollback");
    throw error;
  } finally {
    client.release();
  }
});
