import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { TreeCosts } from "./measure-tree.ts";

/** Measures a checkout in a process of its own, because a process can load the files of one checkout only. `sends`: how many alone. */
export async function measureInProcess(tree: string, sends: number): Promise<TreeCosts> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "measure-tree.ts"), tree, String(sends)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${tree} could not be measured`);
  return JSON.parse(output) as TreeCosts;
}
