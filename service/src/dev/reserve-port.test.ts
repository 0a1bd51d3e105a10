import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../test/free-port.ts";
import { reservePort } from "./reserve-port.ts";

const folder = mkdtempSync(join(tmpdir(), "postern-ports-"));

test("a port that is reserved but not yet listened on is not given out again until it is released", async () => {
  const preferred = await freePort();
  const [first, second] = await Promise.all([reservePort(preferred, folder), reservePort(preferred, folder)]);
  expect([first.port, second.port].toSorted((one, other) => one - other)[0]).toBe(preferred);
  expect(first.port).not.toBe(second.port);
  first.release();
  second.release();
  const again = await reservePort(preferred, folder);
  expect(again.port).toBe(preferred);
  again.release();
});

test("while another program uses the port, the next free one is chosen, and the usual one afterwards", async () => {
  const preferred = await freePort();
  const server = createServer().listen(preferred, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const other = await reservePort(preferred, folder);
  expect(other.port).toBeGreaterThan(preferred);
  expect(other.port).toBeLessThan(preferred + 200);
  other.release();
  await new Promise((resolve) => server.close(resolve));
  const usual = await reservePort(preferred, folder);
  expect(usual.port).toBe(preferred);
  usual.release();
});
