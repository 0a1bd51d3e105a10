import type { Browser } from "playwright-core";
import type { Finding, ProofTools } from "../../../scripts/proof.ts";
import { setLimits } from "../../../service/src/accounts/limit-store.ts";
import type { Database } from "../../../service/src/db/database.ts";
import { aLogin, anApiKey } from "../../../service/test/builders.ts";
import { type TestApi, withTestApis } from "../../../service/test/with-test-apis.ts";
import type { CanaryServer } from "./canary-server.ts";
import { hostileMails } from "./hostile-mails.ts";
import { type Deeds, watchFrames } from "./watched-page.ts";

const seed = 20_261_117;
const perPage = 10;
const controlSize = 4;

/** Sends hostile mails and views each of them in a frame with the headers of the API, as the console does. */
export function viewMails(
  size: number,
  { serverUrl, progress }: ProofTools,
  { canary, browser }: { canary: CanaryServer; browser: Browser },
): Promise<Finding> {
  return withTestApis(
    serverUrl,
    { api: { PUBLIC_URL: "http://127.0.0.1" } },
    async ({ db, apis: { api }, logLines }) => {
      const url = await api.app.listen({ host: "127.0.0.1", port: 0 });
      return viewAll({ db, api, logLines, canary, browser, url }, size, progress);
    },
  );
}

interface Fixture {
  db: Database;
  api: TestApi;
  logLines: string[];
  canary: CanaryServer;
  browser: Browser;
  /** Of the API. */
  url: string;
}

async function viewAll(fixture: Fixture, size: number, progress: ProofTools["progress"]): Promise<Finding> {
  const { canary } = fixture;
  const account = await anAccountThatReads(fixture);
  const mails = hostileMails(size, seed);
  const control = await viewUnguarded(fixture, mails.slice(0, controlSize));

  const connectionsBefore = canary.connections();
  const answeredBefore = answered(fixture);
  const sum: Deeds = { scripts: 0, requests: 0, navigations: 0, windows: 0, firstProblem: undefined };
  for (let start = 0; start < mails.length; start += perPage) {
    const ids = [];
    for (const html of mails.slice(start, start + perPage)) ids.push(await account.send(html));
    const frames = [];
    for (const id of ids) frames.push(await account.view(id));
    add(sum, await watchFrames(fixture.browser, framePage(fixture.url, frames)));
    progress(`${Math.min(start + perPage, size)} of ${size} mails viewed: ${sum.firstProblem ?? "nothing happened"}`);
  }
  const connections = canary.connections() - connectionsBefore;
  // Of each mail one to accept it, one to make the view and one to show it.
  const unexpected = answered(fixture) - answeredBefore - 3 * size;

  const link = await followLink(fixture, account);
  const images = await showImage(fixture, account);
  const problem = sum.firstProblem === undefined ? "" : ` (first: ${sum.firstProblem})`;
  return {
    figure:
      `${size} hostile mails in Chromium: ${sum.scripts} scripts ran, ${sum.requests} requests and ${connections} connections to other hosts, ` +
      `${unexpected} to Postern, ${sum.navigations} navigations, ${sum.windows} windows${problem}; a link opens ${link.windows} window and ` +
      `leaves the frame ${link.navigations} times; an image that the person asked for makes ${images} connections. Control without the ` +
      `headers and the sandbox: ${control.scripts} scripts, ${control.connections} connections`,
    holds:
      sum.scripts + sum.requests + connections + unexpected + sum.navigations + sum.windows === 0 &&
      link.windows === 1 &&
      link.navigations === 0 &&
      images > 0 &&
      control.scripts > 2 &&
      control.connections > 2,
  };
}

interface ReadingAccount {
  send(html: string): Promise<string>;
  view(id: string, body?: object): Promise<string>;
}

/** Sends with a test key and views with the login of a developer. */
async function anAccountThatReads({ db, api, url }: Fixture): Promise<ReadingAccount> {
  const { accountId } = await aLogin(db, api.deps.loginDeps);
  await setLimits(db, accountId, { perSecond: 100_000, per10Seconds: 100_000, perMinute: 100_000 });
  const { key } = await anApiKey(db, api.deps.apiKeyIssuer, accountId, { type: "test" });
  const post = async (path: string, headers: Record<string, string>, body: object) => {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const answer = (await response.json()) as Record<string, string>;
    if (!response.ok) throw new Error(`POST ${path} answered ${JSON.stringify(answer)}`);
    return answer;
  };
  const mail = { from: "a@sandbox.test", to: ["delivered@sandbox.test"], subject: "Hello" };
  const { accessToken } = await aLogin(db, api.deps.loginDeps, { accountId, role: "developer" });
  return {
    send: async (html) => (await post("/api/v1/send", { "x-api-key": key }, { ...mail, html })).id ?? "",
    view: async (id, body = {}) => {
      const headers = { authorization: `Bearer ${accessToken}` };
      return `${url}${(await post(`/api/v1/send/${id}/content/view`, headers, body)).url}`;
    },
  };
}

/** The page of the console: its own policy permits frames of its own host only. */
function framePage(url: string, frames: string[]) {
  const sandbox = 'sandbox="allow-popups allow-popups-to-escape-sandbox"';
  return {
    url: `${url}/a-page-of-the-console`,
    html: frames.map((frame) => `<iframe ${sandbox} src="${frame}" width=400 height=200></iframe>`).join("\n"),
    frames,
    headers: { "content-security-policy": "default-src 'none'; frame-src 'self'" },
  };
}

/** Shows that the same mails do harm, and that this proof sees it, where nothing guards the reader. */
async function viewUnguarded({ browser, canary, url }: Fixture, mails: string[]) {
  const before = canary.connections();
  let scripts = 0;
  for (const mail of mails) {
    const escaped = mail.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    const html = `<iframe srcdoc="${escaped}"></iframe>`;
    try {
      scripts += (await watchFrames(browser, { url: `${url}/an-open-page`, html, frames: [] })).scripts;
    } catch {
      // The mail has replaced the page.
    }
  }
  return { scripts, connections: canary.connections() - before };
}

/** A person clicks on a link that fills the frame. */
async function followLink({ browser, url }: Fixture, account: ReadingAccount): Promise<Deeds> {
  const style = "position:fixed;inset:0;display:block";
  const id = await account.send(
    `<base target=_self><base target=_top><a style="${style}" href="https://link.test/">x</a>`,
  );
  const page = framePage(url, [await account.view(id)]);
  return watchFrames(browser, page, async (opened) => {
    const popup = opened.context().waitForEvent("page", { timeout: 10_000 });
    await opened.mouse.click(100, 100);
    await popup;
  });
}

async function showImage({ browser, canary, url }: Fixture, account: ReadingAccount): Promise<number> {
  const id = await account.send('<img src="https://wanted.test/"><img src="http://never.test/">');
  const before = canary.connections();
  await watchFrames(browser, framePage(url, [await account.view(id, { images: true })]));
  return canary.connections() - before;
}

function answered({ logLines }: Fixture): number {
  return logLines.filter((line) => line.includes("request.completed")).length;
}

function add(sum: Deeds, more: Deeds): void {
  for (const kind of ["scripts", "requests", "navigations", "windows"] as const) sum[kind] += more[kind];
  sum.firstProblem ??= more.firstProblem;
}
