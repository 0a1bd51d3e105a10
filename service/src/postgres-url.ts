/** `pg` knows URLs with one host only, so Postern splits those with several. A password may contain `@`. */
const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^@/?#]*)(\/[^?#]*)?(\?[^#]*)?/s;

function split(url: string) {
  const [, start = "", hosts = "", path = "", query = ""] = parts.exec(url) ?? [];
  return { start, hosts: hosts.split(","), path, parameters: new URLSearchParams(query) };
}

/** `postgres://user@one:5432,two:5432/name` becomes two URLs, in the same order. */
export function urlOfEachHost(url: string): string[] {
  const { start, hosts, path, parameters } = split(url);
  if (hosts.length === 1) return [url];
  return hosts.map((host) => `${start}${host}${path}${queryOf(parameters)}`);
}

export function parameterOf(url: string, name: string): string | undefined {
  return split(url).parameters.get(name) ?? undefined;
}

export function withParameters(url: string, changes: Record<string, string | undefined>): string {
  const { start, hosts, path, parameters } = split(url);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) parameters.delete(name);
    else parameters.set(name, value);
  }
  return `${start}${hosts.join(",")}${path}${queryOf(parameters)}`;
}

export function withDatabaseName(url: string, name: string): string {
  const { start, hosts, parameters } = split(url);
  return `${start}${hosts.join(",")}/${encodeURIComponent(name)}${queryOf(parameters)}`;
}

/** `+` for a space is a rule of HTML forms that `pg` does not know in every place. */
function queryOf(parameters: URLSearchParams): string {
  return parameters.size === 0 ? "" : `?${parameters.toString().replaceAll("+", "%20")}`;
}

/** The values of `target_session_attrs` of libpq that lead to a server on which Postern can write. */
const writableTargets = new Set(["any", "read-write", "primary"]);

/** Undefined if Postern can use the URL. */
export function problemOfUrl(url: string): string | undefined {
  const isUrl = /^postgres(ql)?:\/\//.test(url) && urlOfEachHost(url).every((each) => URL.canParse(each));
  if (!isUrl) return "must look like postgres://user:password@host:5432/database";
  const target = parameterOf(url, "target_session_attrs");
  if (target === undefined || writableTargets.has(target)) return undefined;
  return `has target_session_attrs=${target}, but Postern writes: use read-write`;
}

/** Several hosts are servers of which one is the primary. With `target_session_attrs` a single host must be it, too. */
export function needsPrimary(url: string): boolean {
  const target = parameterOf(url, "target_session_attrs");
  return target === "read-write" || target === "primary" || urlOfEachHost(url).length > 1;
}

/** Every connection checks the certificate of the server against this CA, unless its URL switches TLS off. */
export function withCaFile(url: string, caFile: string | undefined): string {
  if (caFile === undefined || parameterOf(url, "sslmode") === "disable") return url;
  return withParameters(url, { sslmode: parameterOf(url, "sslmode") ?? "verify-full", sslrootcert: caFile });
}
