export interface UrlRules {
  ports: readonly number[];
  allowsHttp: boolean;
}

/** What is wrong with the URL of an endpoint, for the customer; undefined when nothing is. Asks no DNS. */
export function urlProblem(url: string, { ports, allowsHttp }: UrlRules): string | undefined {
  if (!URL.canParse(url)) return "must be a URL, such as https://example.com/postern";
  const { protocol, username, password, port } = new URL(url);
  if (protocol !== "https:" && !(allowsHttp && protocol === "http:")) return "must start with https://";
  if (username !== "" || password !== "") return "must not contain a user name or password";
  const isOwnPort = port === "" || ports.includes(Number(port));
  return isOwnPort || allowsHttp ? undefined : `must use one of these ports: ${ports.join(", ")}`;
}
