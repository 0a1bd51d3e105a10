import { connect, type Socket } from "node:net";
import type { RawRequest } from "./malformed-requests.ts";

export interface RawAnswer {
  status: number;
  body: string;
}

/** What came back: an answer, nothing but a closed connection, or silence until we gave up. */
export type Reply = { kind: "answer"; answer: RawAnswer } | { kind: "closed" } | { kind: "silence" };

const patienceMs = 5000;

/** Speaks bytes and not HTTP, because an HTTP client would refuse to send most of what we want to try. */
export class RawConnection {
  readonly #port: number;
  #socket: Socket | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  async exchange(request: RawRequest): Promise<Reply> {
    const socket = await this.#open();
    const reply = await replyTo(socket, request);
    const isReusable = reply.kind === "answer" && !request.isLastOnConnection && !socket.destroyed;
    if (!isReusable) this.close();
    return reply;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #open(): Promise<Socket> {
    if (this.#socket !== undefined && !this.#socket.destroyed && this.#socket.writable) return this.#socket;
    const socket = connect(this.#port, "127.0.0.1");
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", () => resolve());
      socket.once("error", reject);
    });
    socket.on("error", () => socket.destroy());
    this.#socket = socket;
    return socket;
  }
}

function replyTo(socket: Socket, request: RawRequest): Promise<Reply> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const finish = (reply: Reply) => {
      clearTimeout(timer);
      socket.off("data", take).off("close", closed);
      resolve(reply);
    };
    const take = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const answer = parseAnswer(received, request.isHead);
      if (answer === undefined) return;
      // The rest of a refused body may still be on its way; the server closes such a connection.
      if (answer.closes) socket.destroy();
      finish({ kind: "answer", answer });
    };
    const closed = () => finish({ kind: "closed" });
    const timer = setTimeout(() => finish({ kind: "silence" }), patienceMs);
    socket.on("data", take).on("close", closed);
    // A body that promises more than it brings would be waited for, rightly; hanging up says that this was all.
    if (request.isLastOnConnection) socket.end(request.bytes);
    else socket.write(request.bytes);
  });
}

/** Undefined until the whole answer is there. Interim answers (1xx) are passed over. */
function parseAnswer(bytes: Buffer, isHead: boolean): (RawAnswer & { closes: boolean }) | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const head = bytes.subarray(0, end).toString("latin1");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  if (status < 200) return parseAnswer(bytes.subarray(end + 4), isHead);
  const closes = /\r\nconnection: close/i.test(head);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (isHead || status === 204 || status === 304 || length === undefined) return { status, body: "", closes };
  const body = bytes.subarray(end + 4, end + 4 + Number(length));
  return body.length < Number(length) ? undefined : { status, body: body.toString(), closes };
}
