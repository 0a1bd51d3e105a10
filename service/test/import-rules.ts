import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { importsIn } from "./import-circles.ts";

const filesInSrc = "files in src/";

/** Top layer first. A folder may import from lower layers, not from its own or a higher layer. */
const layers = [
  ["cli"],
  ["processes"],
  ["dev"],
  ["api"],
  ["status", "notices", "moves"],
  ["accept", "delivery", "feedback", "data-rights"],
  ["in-doubt", "guard", "invitations", "oidc", "content-views"],
  ["queue"],
  ["webhooks"],
  ["sends", "logins"],
  ["accounts", "api-keys", "attachments", "domains", "suppressions", "events", "usage", "request-log"],
  ["provider", "storage", "audit"],
  ["loops"],
  ["db", "crypto"],
  [filesInSrc],
];

const packageRules = [
  { packages: /^(fastify|@fastify\/|fastify-|@scalar\/)/, folder: "api/", what: "Fastify" },
  { packages: /^openid-client$/, folder: "oidc/", what: "the OIDC client" },
  { packages: /^(@aws-sdk|@smithy)\//, folder: "provider/ses/", what: "AWS" },
  { packages: /^@opentelemetry\//, folder: "tracing.ts", what: "OpenTelemetry" },
];

/** Describes every violation of the import rules in `sourceFolder`. */
export function findViolations(sourceFolder: string): string[] {
  const files = globSync("**/*.ts", { cwd: sourceFolder }).filter((file) => !file.endsWith(".test.ts"));
  return files.flatMap((file) => {
    const source = readFileSync(join(sourceFolder, file), "utf8");
    return [
      ...importsIn(source).flatMap((name) =>
        name.startsWith(".") ? layerViolation(file, name) : packageViolation(file, name),
      ),
      ...environmentViolation(file, source),
      ...callerViolation(file, source),
      ...snapshotViolation(file, source),
    ];
  });
}

function layerViolation(file: string, specifier: string): string[] {
  const target = normalize(join(dirname(file), specifier));
  if (target === "../package.json") return [];
  if (target.startsWith("..")) return [`${file} imports ${specifier}, which is outside src`];
  const [from, to] = [folderOf(file), folderOf(target)];
  if (from === to) return [];
  const [fromLayer, toLayer] = [layerOf(from), layerOf(to)];
  if (fromLayer === -1) return [`${file} is in ${from}/, which has no layer in import-rules.ts`];
  return fromLayer < toLayer ? [] : [`${file} imports ${target}: ${from} must not import ${to}`];
}

function packageViolation(file: string, name: string): string[] {
  const violated = packageRules.filter((rule) => rule.packages.test(name) && !file.startsWith(rule.folder));
  return violated.map((rule) => `${file} imports ${name}: only ${rule.folder} may import ${rule.what}`);
}

function environmentViolation(file: string, source: string): string[] {
  return file !== "config.ts" && source.includes("process.env")
    ? [`${file} reads process.env: only config.ts may read it`]
    : [];
}

/** Matches a database other than the caller's: by its name, by destructuring, or by an import. */
const unboundDatabase = /\b(?!caller\b)\w+\.db\b|\bdb\b[^{}]*\}\s*(?::\s*ApiDeps|=(?!\s*callerOf\())|\/db\//;

/** The one exception that opens all accounts: routes of operators get such a database from api/auth/require-operator.ts. */
const operatorRoutes = "api/v1/operator/";
const operatorDatabase = /\boperatorOf\(request\)\.db\b/g;

/** Routes use the database that is bound to the caller's account. The exception are those that find the account: log-in, a view by token. */
function callerViolation(file: string, source: string): string[] {
  if (!file.startsWith("api/v1/")) return [];
  const isOfOperators = file.startsWith(operatorRoutes);
  if (!isOfOperators && source.includes("require-operator.ts")) return [`${file} uses the database of all accounts`];
  if (/^api\/v1\/(auth\/[\w-]+|content\/content-view)-routes\.ts$/.test(file)) return [];
  const checked = isOfOperators ? source.replaceAll(operatorDatabase, "") : source;
  return unboundDatabase.test(checked) ? [`${file} uses a database other than callerOf(request).db`] : [];
}

/** Without `changesSends` such a statement can crash PostgreSQL 18.4 (`db/database.ts`). `settle` sets it itself. */
function snapshotViolation(file: string, source: string): string[] {
  const isMarked = source.includes("changesSends: true") || /\bsettle\(/.test(source);
  return /\bupdate sends\b/.test(source) && !isMarked ? [`${file} updates sends without changesSends: true`] : [];
}

function folderOf(file: string): string {
  const [first = "", ...rest] = file.split("/");
  return rest.length === 0 ? filesInSrc : first;
}

function layerOf(folder: string): number {
  return layers.findIndex((folders) => folders.includes(folder));
}
