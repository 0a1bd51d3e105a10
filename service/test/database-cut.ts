import { connect, createServer, type Socket } from "node:net";

export interface DatabaseCut {
  /** The database URL with the host and port of the proxy. */
  url: string;
  /** How many statements have arrived. */
  statements(): number;
  close(): Promise<void>;
}

/**
 * A proxy in front of PostgreSQL. When the statement with this number arrives, counted from 1 over all connections, it cuts every
 * connection and refuses new ones; with `isFrozen` it keeps them and forwards nothing, as a network that loses every packet does.
 */
export async function startDatabaseCut(
  databaseUrl: string,
  cutAt: number,
  { isFrozen = false } = {},
): Promise<DatabaseCut> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let statements = 0;
  const server = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket.setNoDelay(true));
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    const count = statementCounter();
    near.on("data", (chunk: Buffer) => {
      statements += count(chunk);
      if (statements < cutAt) far.write(chunk);
      else cut();
    });
    far.on("data", (chunk: Buffer) => {
      if (statements < cutAt) near.write(chunk);
    });
  });
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  const cut = isFrozen ? () => undefined : stop;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    url: Object.assign(new URL(databaseUrl), { hostname: "127.0.0.1", port: String(address.port) }).href,
    statements: () => statements,
    close: async () => stop(),
  };
}

/** Counts the messages Query and Execute of one connection. Its first message, the startup message, has no type. */
function statementCounter(): (chunk: Buffer) => number {
  let rest: Buffer = Buffer.alloc(0);
  let hasBegun = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    let found = 0;
    for (;;) {
      const typeBytes = hasBegun ? 1 : 0;
      if (rest.length < typeBytes + 4) return found;
      const length = typeBytes + rest.readUInt32BE(typeBytes);
      if (rest.length < length) return found;
      const type = hasBegun ? String.fromCharCode(rest[0] ?? 0) : "";
      if (type === "Q" || type === "E") found += 1;
      hasBegun = true;
      rest = rest.subarray(length);
    }
  };
}
