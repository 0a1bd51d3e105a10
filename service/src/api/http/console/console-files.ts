import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

type Encoding = "br" | "gzip";

export interface Asset {
  type: string;
  content: Buffer;
  /** Undefined where compression does not make the file smaller. */
  compressed(encoding: Encoding): Promise<Buffer | undefined>;
}

/** The built console, in memory: a request reads no file, so no path of a request can name one outside. */
export interface ConsoleFiles {
  /** With the placeholder of the nonce. */
  index: string;
  /** By name below /assets/. Each name contains a hash of the content. */
  assets: ReadonlyMap<string, Asset>;
  /** The other files beside the page, such as its icon, by name. */
  pageFiles: ReadonlyMap<string, Asset>;
}

/** Beside `service/` in the repository and in the image. */
export const consoleFolder = join(import.meta.dirname, "../../../../../console/dist");

const types: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".ico": "image/x-icon",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

export function isConsoleBuilt(folder: string): boolean {
  return existsSync(join(folder, "index.html"));
}

/** Undefined when the console was not built. Symbolic links are left out: they could lead out of the folder. */
export function readConsoleFiles(folder: string): ConsoleFiles | undefined {
  if (!isConsoleBuilt(folder)) return undefined;
  return {
    index: readFileSync(join(folder, "index.html"), "utf8"),
    assets: readAssets(join(folder, "assets")),
    pageFiles: readAssets(folder),
  };
}

/** The page itself has no type here, and hidden files belong to the build. */
function readAssets(folder: string): Map<string, Asset> {
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  const files = entries.filter(
    (entry) => entry.isFile() && !entry.name.startsWith(".") && extname(entry.name) in types,
  );
  return new Map(files.map(({ name }) => [name, assetOf(name, readFileSync(join(folder, name)))]));
}

function assetOf(name: string, content: Buffer): Asset {
  const type = types[extname(name)] ?? "";
  const isText = type.includes("charset");
  const known = new Map<Encoding, Promise<Buffer | undefined>>();
  return {
    type,
    content,
    // On the first request for it: a process whose console nobody opens compresses nothing. Later requests share the result.
    async compressed(encoding) {
      if (!isText) return undefined;
      const result = known.get(encoding) ?? compress(encoding, content);
      known.set(encoding, result);
      return result;
    },
  };
}

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);
/** Compresses 1 MB of JavaScript in 0.15 s. The best quality, 11, needs 3 s for a result that is 9% smaller. */
const brotliQuality = 9;

async function compress(encoding: Encoding, content: Buffer): Promise<Buffer | undefined> {
  const result =
    encoding === "br"
      ? await toBrotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } })
      : await toGzip(content);
  return result.length < content.length ? result : undefined;
}

/** The best encoding that the client accepts; undefined for none. `q=0` refuses one (RFC 9110, section 12.5.3). */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding | undefined {
  const accepted = new Set<string>();
  for (const item of (acceptEncoding ?? "").toLowerCase().split(",")) {
    const [name = "", ...parameters] = item.split(";").map((each) => each.trim());
    if (!parameters.some((each) => /^q=0(\.0*)?$/.test(each))) accepted.add(name);
  }
  return accepted.has("br") ? "br" : accepted.has("gzip") ? "gzip" : undefined;
}
