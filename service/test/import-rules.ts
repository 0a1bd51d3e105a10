import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** The floors of the house, top first. A room may use what lies below it, never its neighbours and nothing above. */
const floors = [
  ["cli"],
  ["processes"],
  ["dev"],
  ["api"],
  ["status"],
  ["accept", "delivery", "feedback"],
  ["in-doubt"],
  ["queue"],
  ["sends", "logins"],
  ["accounts", "api-keys", "domains", "suppressions", "events"],
  ["provider", "storage"],
  ["loops"],
  ["db", "crypto"],
  ["ground"],
];

const packageRules = [
  { packages: /^(fastify|@fastify\/|fastify-|@scalar\/)/, home: "api/", what: "Fastify" },
  { packages: /^(@aws-sdk|@smithy)\//, home: "provider/ses/", what: "AWS" },
];

/** Every import in `sourceFolder` that breaks the order, as a sentence. */
export function findViolations(sourceFolder: string): string[] {
  const files = globSync("**/*.ts", { cwd: sourceFolder }).filter((file) => !file.endsWith(".test.ts"));
  return files.flatMap((file) => {
    const source = readFileSync(join(sourceFolder, file), "utf8");
    const imports = [...source.matchAll(/\b(?:from|import)\s*\(?\s*["'`]([^"'`]+)["'`]/g)].map(
      ([, name]) => name ?? "",
    );
    return [
      ...imports.flatMap((name) => (name.startsWith(".") ? brokenFloor(file, name) : brokenPackage(file, name))),
      ...readsEnvironment(file, source),
      ...reachesAroundCaller(file, source),
      ...changesSendsUnsaid(file, source),
    ];
  });
}

function brokenFloor(file: string, specifier: string): string[] {
  const target = normalize(join(dirname(file), specifier));
  if (target === "../package.json") return [];
  if (target.startsWith("..")) return [`${file} imports ${specifier}, which lies outside src`];
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === to) return [];
  const [fromFloor, toFloor] = [floorOf(from), floorOf(to)];
  if (fromFloor === -1) return [`${file} lies in ${from}/, which has no floor in import-rules.ts`];
  return fromFloor < toFloor ? [] : [`${file} imports ${target}: ${from} may not know ${to}`];
}

function brokenPackage(file: string, name: string): string[] {
  const broken = packageRules.filter((rule) => rule.packages.test(name) && !file.startsWith(rule.home));
  return broken.map((rule) => `${file} imports ${name}: only ${rule.home} knows ${rule.what}`);
}

function readsEnvironment(file: string, source: string): string[] {
  return file !== "config.ts" && source.includes("process.env")
    ? [`${file} reads process.env: only config.ts does`]
    : [];
}

/** A database in a route that is not the caller's own: by its name, taken apart from something, or imported. */
const unboundDatabase = /\b(?!caller\b)\w+\.db\b|\bdb\b[^{}]*\}\s*(?::\s*ApiDeps|=(?!\s*callerOf\())|\/db\//;

/** What a caller gets to see is bound to its account; logging in is what finds the account. */
function reachesAroundCaller(file: string, source: string): string[] {
  if (!file.startsWith("api/v1/") || file === "api/v1/auth/auth-routes.ts") return [];
  return unboundDatabase.test(source) ? [`${file} uses a database other than callerOf(request).db`] : [];
}

/** Unsaid it would crash PostgreSQL 18.4 one day (`db/database.ts`). Those that `settle` frames are said there. */
function changesSendsUnsaid(file: string, source: string): string[] {
  const isSaid = source.includes("changesSends: true") || /\bsettle\(/.test(source);
  return /\bupdate sends\b/.test(source) && !isSaid ? [`${file} changes sends and does not say so`] : [];
}

function roomOf(file: string): string {
  const [first = "", ...rest] = file.split("/");
  return rest.length === 0 ? "ground" : first;
}

function floorOf(room: string): number {
  return floors.findIndex((rooms) => rooms.includes(room));
}
