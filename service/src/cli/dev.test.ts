import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { aDevFolder, type DevRun, processesIn, startDev, untilNoneIn } from "../../test/dev-run.ts";
import { posternPath } from "../../test/spawn-postern.ts";
import { tryExclusiveLock } from "../dev/file-lock.ts";

const run = promisify(execFile);

describe("postern dev", () => {
  const folder = aDevFolder();
  let dev: DevRun;

  beforeAll(async () => {
    dev = startDev(folder);
    await dev.shows("live mail from acme.io: ready");
  }, 60_000);

  afterAll(async () => {
    if (processesIn(folder).length > 0) dev.kill("SIGTERM");
    await untilNoneIn(folder);
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  test("the printed command sends a mail that is delivered", async () => {
    const [command = ""] = sendCommands(dev.screen());
    await sh(command);
    expect(await newest(command)).toMatchObject({ status: "delivered", to_addresses: ["delivered@sandbox.test"] });
  });

  test("test mail can be read in the mail view, marked as test, and never reaches the simulated SES", async () => {
    const [command = ""] = sendCommands(dev.screen());
    await sh(command.replace("It works.", "Only for the mail view."));
    const { id = "" } = (await newest(command)) ?? {};
    const mail = JSON.parse(
      await sh(`. .postern/env && curl -sSf "$POSTERN_MAIL_VIEW/_simulator/mails/${String(id)}"`),
    );
    expect(mail).toMatchObject({
      label: "test",
      text: "Only for the mail view.",
      events: [{ details: { type: "Delivery" } }],
    });
    const list = await sh('. .postern/env && curl -sSf "$POSTERN_MAIL_VIEW/_simulator/mails"');
    expect(JSON.parse(list).mails).toContainEqual(expect.objectContaining({ messageId: id, label: "test" }));
    const ledger = await sh('. .postern/env && curl -sSf "$POSTERN_MAIL_VIEW/_simulator/ledger.ndjson"');
    expect(ledger).not.toContain("sandbox.test");
  });

  test("after `. .postern/env`, `postern status` and `postern admin` work in that shell", async () => {
    const postern = `. .postern/env && '${process.execPath}' '${posternPath}'`;
    expect(await sh(`${postern} status`)).toMatch(/^LIVE MAIL\n {2}ready/m);
    expect(await sh(`${postern} admin list-accounts`)).toContain("ada@example.com");
    const created = await sh(`${postern} admin create-key --account ada@example.com --type test --name extra`);
    const [, key = ""] = /^Key +(\S+)$/m.exec(created) ?? [];
    await sh(`. .postern/env && curl -sSf "$POSTERN_URL/api/v1/account" -H "X-API-Key: ${key}"`);
  });

  test("live mail from the seeded domain is delivered and appears in the mail view", async () => {
    const [, live = ""] = sendCommands(dev.screen());
    await sh(live);
    const sent = await newest(live);
    expect(sent).toMatchObject({ status: "delivered", from_address: "hello@acme.io" });
    const ledger = await sh('. .postern/env && curl -sSf "$POSTERN_MAIL_VIEW/_simulator/ledger"');
    expect(ledger).toContain(String(sent?.provider_message_id));
  });

  test("another registered domain is verified automatically within seconds", async () => {
    const login = `. .postern/env
      ask() { curl -sSf "$POSTERN_URL/api/v1/$1" -H 'Content-Type: application/json' -H "Authorization: Bearer $TOKEN" -d "$2"; }
      TOKEN=$(ask auth/login "{\\"email\\":\\"$POSTERN_EMAIL\\",\\"password\\":\\"$POSTERN_PASSWORD\\"}" | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
    await sh(`${login}\nask domains '{"domain_name":"other-demo.io"}'`);
    const list = `${login}\ncurl -sSf "$POSTERN_URL/api/v1/domains" -H "Authorization: Bearer $TOKEN"`;
    let states: { domain_name: string; verification_status: string }[] = [];
    for (let tries = 0; tries < 40 && !isVerified(states, "other-demo.io"); tries++) {
      await sleep(500);
      states = JSON.parse(await sh(list));
    }
    expect(isVerified(states, "other-demo.io"), JSON.stringify(states)).toBe(true);
  });

  test("a second `postern dev` on the same folder names the conflict and exits, and the first keeps running", async () => {
    const second = startDev(folder);
    expect(await second.exited).toBe(1);
    expect(second.screen()).toContain("Another `postern dev` uses .postern.");
    expect(await sh('. .postern/env && curl -sSf "$POSTERN_URL/readyz"')).toBeDefined();
  });

  test("Ctrl-C ends it with code 0, without a remaining process or lock", async () => {
    dev.pressCtrlC();
    expect(await dev.exited).toBe(0);
    expect(dev.screen()).toContain("Everything has stopped.");
    expect(processesIn(folder)).toEqual([]);
    expect(tryExclusiveLock(join(folder, ".postern", "lock"))).toBeDefined();
  }, 40_000);

  /** The printed commands, each from KEY= to the end of the curl command. */
  function sendCommands(screen: string): string[] {
    return [...screen.matchAll(/^KEY=.*\ncurl .*\\\n.*$/gm)].map(([command]) => command);
  }

  async function newest(command: string): Promise<Record<string, unknown> | undefined> {
    const [key = ""] = command.split("\n");
    const [list = ""] = /^curl .*\/sends .*$/m.exec(dev.screen()) ?? [];
    for (let tries = 0; tries < 50; tries++) {
      const [send] = JSON.parse(await sh(`${key}\n${list}`)).data.sends;
      if (send.status === "delivered") return send;
      await sleep(200);
    }
    return undefined;
  }

  async function sh(script: string): Promise<string> {
    const { stdout } = await run("sh", ["-ec", script], { cwd: folder });
    return stdout;
  }
});

describe("postern dev", () => {
  test.for([["--port", "many"], ["--forever"], ["now"]])(
    "wrong arguments end with code 64 and the usage: %s %s",
    async (args) => {
      const dev = startDev(aDevFolder(), args);
      expect(await dev.exited).toBe(64);
      expect(dev.screen()).toContain("Usage: postern dev");
    },
  );

  test("--help prints the usage and starts no process", async () => {
    const folder = aDevFolder();
    const dev = startDev(folder, ["--help"]);
    expect({ code: await dev.exited, running: processesIn(folder) }).toEqual({ code: 0, running: [] });
    expect(dev.screen()).toContain("Usage: postern dev");
  });
});

describe("postern dev --port", () => {
  test("a port in use is named, and no process is started", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const address = server.address();
    if (address === null || typeof address === "string") expect.fail("the server has no port");
    const folder = aDevFolder();
    const dev = startDev(folder, ["--port", `${address.port}`]);
    expect({ code: await dev.exited, running: processesIn(folder) }).toEqual({ code: 1, running: [] });
    expect(dev.screen()).toContain(`Port ${address.port} is in use. Choose another port: --port N`);
  });
});

describe("when a process of postern dev crashes", () => {
  test("it prints the name and last output of that process, stops the others and ends with code 1", {
    timeout: 60_000,
  }, async () => {
    const folder = aDevFolder();
    const dev = startDev(folder);
    await dev.shows("Ready after");
    const worker = processesIn(folder).find((pid) => commandOf(pid).includes("postern.ts worker"));
    if (worker === undefined) expect.fail("there is no worker");
    process.kill(worker, "SIGKILL");
    expect(await dev.exited).toBe(1);
    expect(dev.screen()).toContain("✗ The worker process ended by SIGKILL. Its last output:");
    expect(await untilNoneIn(folder)).toEqual([]);
    rmSync(folder, { recursive: true, force: true });
  });
});

/** Empty for a process that has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

function isVerified(states: { domain_name: string; verification_status: string }[], name: string): boolean {
  return states.some((each) => each.domain_name === name && each.verification_status === "Success");
}
