import type { Docker } from "../../engine/docker.ts";

/** Reports what every process of the container may do, and which folders this one can write to. */
const probe = `
const { readdirSync, readFileSync, writeFileSync } = require("node:fs");
const codeOf = (work) => { try { work(); return "written"; } catch ({ code }) { return code; } };
const folders = ["/", "/app", "/app/service/src", "/tmp", "/home/node", "/run", "/usr", "/etc"];
const pids = readdirSync("/proc").filter((name) => /^\\d+$/.test(name));
const fields = ["Uid", "Gid", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp"];
const seen = pids.map((pid) => {
  const status = readFileSync("/proc/" + pid + "/status", "utf8");
  return Object.fromEntries(fields.map((name) => [name, new RegExp("^" + name + ":\\\\s*(.*)$", "m").exec(status)[1]]));
});
console.log(JSON.stringify({ writing: folders.map((folder) => [folder, codeOf(() => writeFileSync(folder + "/probe", ""))]), processes: seen }));`;

interface Probed {
  writing: [folder: string, code: string][];
  processes: Record<string, string>[];
}

/** The problems of a container that must be read-only, run as user 1000 and have no capabilities. */
export async function findConfinementProblems(docker: Docker, id: string): Promise<string[]> {
  const { writing, processes }: Probed = JSON.parse(await docker(["exec", id, "node", "-e", probe]));
  if (processes.length < 2) return ["the probe saw no process except itself"];
  return [
    ...writing.filter(([, code]) => code !== "EROFS").map(([folder, code]) => `a file in ${folder}: ${code}`),
    ...processes.flatMap((process) => [
      ...["Uid", "Gid"]
        .filter((name) => !/^1000\s+1000\s+1000\s+1000$/.test(process[name] ?? ""))
        .map((name) => `${name} is ${process[name]}`),
      ...Object.entries(process)
        .filter(([name, bits]) => name.startsWith("Cap") && !/^0+$/.test(bits))
        .map(([name, bits]) => `${name} is ${bits}`),
      ...(process.NoNewPrivs === "1" ? [] : ["a process can gain privileges"]),
    ]),
  ];
}
