import { once } from "node:events";
import type { Duplex } from "node:stream";
import pg from "pg";

/** Methods of `pg` for COPY that its types do not declare. */
interface CopyConnection {
  stream: Duplex;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

const chunkCharacters = 128 * 1024;

/** Runs `copy … from stdin` with lines in PostgreSQL's text format. */
export function copyRows(client: pg.Client, command: string, lines: Iterable<string>): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | undefined;
    const copying = {
      submit: (connection: CopyConnection) => connection.query(command),
      handleCopyInResponse(connection: CopyConnection) {
        sendAll(connection, lines).catch((error: Error) => connection.sendCopyFail(error.message));
      },
      handleCommandComplete: () => undefined,
      handleError(error: Error) {
        failure = error;
      },
      handleReadyForQuery: () => (failure === undefined ? resolve() : reject(failure)),
    };
    // `pg` calls these methods on every Submittable; its type declares only `submit`.
    client.query(copying as unknown as pg.Submittable);
  });
}

async function sendAll(connection: CopyConnection, lines: Iterable<string>): Promise<void> {
  let chunk = "";
  for (const line of lines) {
    chunk += line;
    if (chunk.length < chunkCharacters) continue;
    connection.sendCopyFromChunk(Buffer.from(chunk));
    chunk = "";
    if (connection.stream.writableNeedDrain) await once(connection.stream, "drain");
  }
  connection.sendCopyFromChunk(Buffer.from(chunk));
  connection.endCopyFrom();
}

export async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
