import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

interface Reply {
  status: number;
  body: string;
}

/** An HTTP endpoint with scripted answers, for answers that the simulator does not give. */
export async function anEndpoint(answer: (body: string) => Reply | Promise<Reply>) {
  const bodies: string[] = [];
  let connections = 0;
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void text(request)
      .then((body) => {
        bodies.push(body);
        return answer(body);
      })
      .then(({ status, body }) => response.writeHead(status, { "content-type": "application/json" }).end(body));
  });
  const open = new Set<Promise<unknown>>();
  server.on("connection", (socket) => {
    connections++;
    open.add(once(socket, "close"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // A listening TCP server has no other kind of address.
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => bodies.length,
    lastBody: () => bodies.at(-1) ?? "",
    connections: () => connections,
    allClosed: () => Promise.all(open),
  };
}

/** The process listens, blocks its event loop and has a full accept queue: the kernel drops further connection attempts. */
export async function anEndpointThatTakesNoConnection(): Promise<string> {
  const sleeper = `
    const server = require("node:net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
      process.stdout.write(String(server.address().port), () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
    });`;
  const child = spawn(process.execPath, ["-e", sleeper], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [port] = await once(child.stdout, "data");
  const fillers = Array.from({ length: 4 }, () => connect(Number(port), "127.0.0.1").on("error", () => undefined));
  onTestFinished(() => {
    for (const filler of fillers) filler.destroy();
  });
  await Promise.race(fillers.map((filler) => once(filler, "connect")));
  return `http://127.0.0.1:${port}`;
}
