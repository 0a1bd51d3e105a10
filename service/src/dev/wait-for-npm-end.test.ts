import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";

const file = new URL("./wait-for-npm-end.ts", import.meta.url).href;

/** A script as npm runs it: a Node process, `sh -c`, and the script. The script prints its parents, then `ended`. */
async function aScript(command: string) {
  const script = `
    import { waitForNpmEnd } from ${JSON.stringify(file)};
    setInterval(() => undefined, 1000);
    console.log(process.ppid, process.pid);
    await waitForNpmEnd();
    console.log("ended");
    process.exit();`;
  const npm = `
    const { spawn } = require("node:child_process");
    spawn("sh", ["-c", ${JSON.stringify(command)}], { stdio: "inherit", env: { ...process.env, SCRIPT: ${JSON.stringify(script)} } });
    setInterval(() => undefined, 1000);`;
  const started = spawn(process.execPath, ["-e", npm], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void started.kill("SIGKILL"));
  const lines = createInterface(started.stdout)[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value);
  const [parent = 0, pid = 0] = (await nextLine()).split(" ").map(Number);
  onTestFinished(() => kill(pid));
  return { npm: started.pid ?? 0, parent, nextLine };
}

const node = `'${process.execPath}' --input-type=module -e "$SCRIPT"`;

test("a script notices that npm was killed, although its shell still runs", async () => {
  const { npm, parent, nextLine } = await aScript(`${node}; true`);
  expect(parent).not.toBe(npm);
  process.kill(npm, "SIGKILL");
  expect(await nextLine()).toBe("ended");
});

test("a script notices that its shell was killed, although npm still runs", async () => {
  const { npm, parent, nextLine } = await aScript(`${node}; true`);
  process.kill(parent, "SIGKILL");
  expect(await nextLine()).toBe("ended");
  expect(process.kill(npm, 0)).toBe(true);
});

test("a script notices that npm was killed when its shell replaced itself by the script", async () => {
  const { npm, parent, nextLine } = await aScript(`exec ${node}`);
  expect(parent).toBe(npm);
  process.kill(npm, "SIGKILL");
  expect(await nextLine()).toBe("ended");
});

test("a script below another shell keeps running, and notices that npm was killed", async () => {
  const { npm, parent, nextLine } = await aScript(`sh -ec '${node.replaceAll("'", "'\\''")}; true'; true`);
  expect(parent).not.toBe(npm);
  const ended = nextLine();
  await expect(Promise.race([ended, sleep(600, "running")])).resolves.toBe("running");
  process.kill(npm, "SIGKILL");
  expect(await ended).toBe("ended");
});

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
