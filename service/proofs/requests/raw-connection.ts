import { connect, type Socket } from "node:net";
import type { RawRequest } from "./malformed-requests.ts";

export interface RawAnswer {
  status: number;
  body: string;
}

/** The result of a request: an answer, a closed connection without one, or no answer before the timeout. */
export type Reply = { kind: "answer"; answer: RawAnswer } | { kind: "closed" } | { kind: "timeout" };

const timeoutMs = 5000;

/** Writes raw bytes, because an HTTP client would refuse to send most malformed requests. */
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
      // The server closes the connection of a refused body, part of which may not have arrived.
      if (answer.closes) socket.destroy();
      finish({ kind: "answer", answer });
    };
    const closed = () => finish({ kind: "closed" });
    const timer = setTimeout(() => finish({ kind: "timeout" }), timeoutMs);
    socket.on("data", take).on("close", closed);
    // The server would rightly wait for a body shorter than its length; ending the stream shows that no more bytes follow.
    if (request.isLastOnConnection) socket.end(request.bytes);
    else socket.write(request.bytes);
  });
}

/** Undefined until the answer is complete. Skips interim answers (1xx). */
function parseAnswer(bytes: Buffer, isHead: boolean): (RawAnswer & { closes: boolean }) | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const head = bytes.subarray(0, end).toString("latin1");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  if (status < 200) return parseAnswer(bytes.subarray(end + 4), isHead);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  // Without a length the rest of a body may still arrive, and would be taken for the next answer.
  const closes = length === undefined || /\r\nconnection: close/i.test(head);
  if (isHead || status === 204 || status === 304 || length === undefined) return { status, body: "", closes };
  const body = bytes.subarray(end + 4, end + 4 + Number(length));
  return body.length < Number(length) ? undefined : { status, body: body.toString(), closes };
}
