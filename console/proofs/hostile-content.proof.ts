import type { Browser } from "playwright-core";
import type { Finding, Proof, ProofTools } from "../../scripts/proof.ts";
import { type CanaryServer, startCanaryServer } from "./hostile/canary-server.ts";
import { storeHostileAccount } from "./hostile/hostile-account.ts";
import { hostileTexts, textKinds } from "./hostile/hostile-texts.ts";
import { viewMails } from "./hostile/view-mails.ts";
import { countUnguarded, watchConsole } from "./hostile/watch-console.ts";
import { openBrowser } from "./hostile/watched-page.ts";
import { withConsole } from "./with-console.ts";

const fullSize = 500;

export const proof: Proof = {
  promise:
    "A hostile mail that a person views, and hostile names, subjects and bounce texts in the console, run no script, send nothing to another " +
    "host and break no layout",
  covers: ["console/proofs/hostile", "console/src", "service/src/api/v1/content", "service/src/content-views"],
  size: { small: 10, full: fullSize },
  async run(size, tools) {
    const canary = await startCanaryServer();
    const browser = await openBrowser(canary.port);
    try {
      const mails = await viewMails(size, tools, { canary, browser });
      const screens = await viewScreens(size, tools, { canary, browser });
      return { figure: `${mails.figure}. ${screens.figure}`, holds: mails.holds && screens.holds };
    } finally {
      await browser.close();
      await canary.stop();
    }
  },
};

interface Watchers {
  canary: CanaryServer;
  browser: Browser;
}

function viewScreens(size: number, { progress }: ProofTools, { canary, browser }: Watchers): Promise<Finding> {
  return withConsole(async (session) => {
    const account = await storeHostileAccount(session, size);
    const before = canary.connections();
    // Every kind of text on every kind of screen at full size.
    const sampleSize = size < fullSize ? 2 : textKinds;
    const deeds = await watchConsole({ browser, session, progress }, account, sampleSize);
    const connections = canary.connections() - before;
    const control = await countUnguarded(browser, hostileTexts(4));
    const { screens, scripts, problems, layoutFaults } = deeds;
    const list = (texts: string[]) => (texts.length === 0 ? "" : ` (${texts.slice(0, 5).join("; ")})`);
    return {
      figure:
        `${size} sends with hostile names, subjects, addresses and bounce texts in ${screens} screens of the console, 1440 and 390 px wide: ` +
        `${scripts} scripts ran, ${connections} connections to other hosts, ${problems.length} errors, refusals of the policy and requests to ` +
        `other hosts${list(problems)}, ${layoutFaults.length} broken layouts${list(layoutFaults)}. Control without the console: ${control} scripts`,
      holds: scripts + connections + problems.length + layoutFaults.length === 0 && control > 0 && screens > 20,
    };
  });
}
