import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface SlowCrowd {
  connected(): number;
  /** How often the server ended a connection; each comes back at once. */
  cut(): number;
  disperse(): void;
}

interface Crowd {
  port: number;
  /** Connect and say nothing, or only half of a head. */
  idle: number;
  /** Send a body of many bytes, one each second. */
  slow: number;
  key: string;
}

const atOnce = 100;

/** Clients that take a connection and give nothing for it. Resolves when all of them are in. */
export async function gatherSlowCrowd({ port, idle, slow, key }: Crowd): Promise<SlowCrowd> {
  const sockets = new Set<Socket>();
  let [isOver, cut] = [false, 0];
  const join = (member: number): void => {
    const socket = connect(port, "127.0.0.1");
    const drip = member < slow ? setInterval(() => socket.write("x"), 1000) : undefined;
    socket.on("error", () => undefined);
    socket.on("data", () => undefined);
    socket.on("connect", () => {
      sockets.add(socket);
      if (member < slow) socket.write(headOf(key));
      else if (member % 2 === 0) socket.write("POST /api/v1/send HTTP/1.1\r\nhost: postern.test\r\nx-half: ");
    });
    socket.on("close", () => {
      clearInterval(drip);
      sockets.delete(socket);
      if (isOver) return;
      cut += 1;
      setTimeout(() => !isOver && join(member), 100);
    });
  };
  for (let member = 0; member < idle + slow; member++) {
    join(member);
    if (member % atOnce === 0) await sleep(20);
  }
  for (let tries = 0; sockets.size < idle + slow && tries < 200; tries++) await sleep(50);
  return {
    connected: () => sockets.size,
    cut: () => cut,
    disperse() {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

function headOf(key: string): string {
  const lines = ["host: postern.test", `x-api-key: ${key}`, "content-type: application/json", "content-length: 10000"];
  return `POST /api/v1/send HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n{`;
}
