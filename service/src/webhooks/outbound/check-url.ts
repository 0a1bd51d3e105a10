import { isIP } from "node:net";
import { parseHostName } from "../../host-name.ts";
import { isLoopback } from "../../loopback.ts";
import { classifyTarget, howToAllow, networksOf } from "./target-address.ts";

export interface UrlRules {
  ports: readonly number[] | "any";
  /** Only with the simulator, whose mail reaches no people: for development on one machine. */
  allowsHttp: boolean;
  /** CIDRs that the operator allowed to the account. Without them only public addresses are accepted. */
  allowedNetworks?: readonly string[];
}

export interface CheckedUrl {
  url: URL;
  /** A name without the dot at its end, or an address without brackets. */
  host: string;
  port: number;
}

const maxLength = 2048;

/** Why this URL cannot be an endpoint, in words for the customer. Makes no DNS query: the addresses of a name are checked at each attempt. */
export function urlProblem(text: string, rules: UrlRules): string | undefined {
  const checked = checkUrl(text, rules);
  return "problem" in checked ? checked.problem : undefined;
}

export function checkUrl(text: string, rules: UrlRules): CheckedUrl | { problem: string } {
  // Parsing removes or replaces them, so a person would see another URL than the one that is used.
  if (/[\p{Cc}\p{Z}\\]/u.test(text)) return { problem: "The URL has a space, a backslash or a control character." };
  const url = text.length > maxLength ? undefined : URL.parse(text);
  if (url === undefined || (url !== null && url.href.length > maxLength)) {
    return { problem: "The URL has more than 2,048 characters." };
  }
  if (url === null) return { problem: "This is not a URL. It must look like https://hooks.example.com/postern." };
  const port = url.port === "" ? (url.protocol === "http:" ? 80 : 443) : Number(url.port);
  const host = url.hostname.replace(/\.$/, "").replace(/^\[(.*)\]$/, "$1");
  const problem = schemeProblem(url, rules) ?? userProblem(url) ?? hostProblem(host, rules) ?? portProblem(port, rules);
  return problem === undefined ? { url, host, port } : { problem };
}

function schemeProblem({ protocol }: URL, { allowsHttp }: UrlRules): string | undefined {
  if (protocol === "https:" || (protocol === "http:" && allowsHttp)) return undefined;
  return "The URL must begin with https://.";
}

function userProblem({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  return "The URL must not have a user name or password. The signature of each notification proves that Postern sent it.";
}

function portProblem(port: number, { ports }: UrlRules): string | undefined {
  if (ports === "any" ? port !== 0 : ports.includes(port)) return undefined;
  return `Port ${port} is not allowed for webhooks. The operator can allow it with the setting WEBHOOK_PORTS.`;
}

/** URL parsing has already turned every spelling of an IPv4 address into four decimal numbers. */
function hostProblem(host: string, { allowsHttp, allowedNetworks = [] }: UrlRules): string | undefined {
  if (isIP(host) !== 0) {
    const target = classifyTarget(host, networksOf(allowedNetworks));
    return "range" in target ? `The address ${host} is not public: ${target.range}. ${howToAllow}` : undefined;
  }
  if (isLoopback(host)) {
    const instead = allowsHttp ? "Write 127.0.0.1 instead." : "Use a name that public DNS knows.";
    return `"${host}" means the machine on which Postern runs. ${instead}`;
  }
  if (!host.includes("."))
    return `The host "${host}" is not a full name. Use one with a domain, such as hooks.example.com.`;
  const name = parseHostName(host);
  return typeof name === "string" ? undefined : `The host of the URL ${name.problem}.`;
}
