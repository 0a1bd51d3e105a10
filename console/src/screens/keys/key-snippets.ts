import type { SnippetTab } from "../../parts/snippet.tsx";

export interface SnippetInput {
  url: string;
  key: string;
  type: "live" | "test";
  /** A verified domain of the account, for a live key. */
  domain: string | undefined;
}

/** The first mail, ready to paste. A test key sends from the sandbox domain, so that it works before any domain is verified. */
export function keySnippets({ url, key, type, domain }: SnippetInput): SnippetTab[] {
  const from = `hello@${type === "test" ? "sandbox.test" : (domain ?? "YOUR-DOMAIN")}`;
  const to = type === "test" ? "delivered@sandbox.test" : "you@example.com";
  const mail = JSON.stringify({ from, to: [to], subject: "Hello", text: "It works." });
  return [
    {
      name: "curl",
      code: `curl -s ${url}/api/v1/send -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' \\\n  -d '${mail}'`,
    },
    { name: ".env", code: `POSTERN_URL=${url}\nPOSTERN_API_KEY=${key}` },
    {
      name: "SDK",
      code: `import { Postern } from "@postern/sdk";

const postern = new Postern({
  baseUrl: process.env.POSTERN_URL,
  apiKey: process.env.POSTERN_API_KEY,
});

const { data, error } = await postern.send({
  from: "${from}",
  to: ["${to}"],
  subject: "Hello",
  text: "It works.",
});`,
    },
  ];
}
