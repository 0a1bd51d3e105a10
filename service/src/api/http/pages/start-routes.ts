import type { ApiServer } from "../api-server.ts";
import type { ConsoleFiles } from "../console/console-files.ts";
import { sendConsole } from "../console/console-routes.ts";
import { escapeHtml, type PageOptions, sendPage, sendText, wantsPage } from "./page.ts";

interface Link {
  path: string;
  name: string;
  text: string;
}

const reference: Link = { path: "/reference/", name: "API reference", text: "Every endpoint, with examples" };

const documentation: Link[] = [
  { path: "/errors", name: "Error codes", text: "Cause, example and fix of each code" },
  { path: "/openapi.json", name: "OpenAPI document", text: "The interface for generators and clients" },
];

const status: Link[] = [
  { path: "/healthz", name: "Alive", text: "This process runs" },
  { path: "/readyz", name: "Ready", text: "It can serve requests: database and schema are usable" },
];

/** A browser gets the console, or, when it was not built, a start page that contains nothing about accounts. */
export function startRoutes(app: ApiServer, options: PageOptions, files: ConsoleFiles | undefined): void {
  const docs = options.showReference ? [reference, ...documentation] : documentation;
  app.get("/", { schema: { hide: true } }, (request, reply) => {
    if (!wantsPage(request)) return sendText(reply, plainText(docs));
    return files === undefined ? sendPage(reply, "Postern", content(docs), options) : sendConsole(reply, files);
  });
}

function content(docs: Link[]): string {
  return `    <h1>Postern is running</h1>
    <p class="lead">This address is the API of a Postern installation: transactional email through its own Amazon SES.</p>
    <h2>Documentation</h2>
    ${list(docs)}
    <h2>Status</h2>
    ${list(status)}
    <h2>Guides</h2>
    <p>Install, operate, send: the folder <code>docs</code> of the source, beginning with <code>README.md</code>.</p>`;
}

function list(links: Link[]): string {
  const items = links.map(
    ({ path, name, text }) => `<li><a href="${path}"><strong>${name}</strong><span>${escapeHtml(text)}</span></a></li>`,
  );
  return `<ul class="links">${items.join("")}</ul>`;
}

function plainText(docs: Link[]): string {
  const lines = [...docs, ...status].map(({ path, text }) => `${path.padEnd(14)} ${text}`);
  return `Postern is running.\n\n${lines.join("\n")}\n`;
}
