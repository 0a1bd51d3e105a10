import type { BrowserContext } from "playwright-core";

/**
 * Collects what no page of the console may do: break its own Content-Security-Policy, throw an error that nothing catches, or call another
 * host.
 */
export async function collectProblems(context: BrowserContext, url: string): Promise<() => string[]> {
  const problems: string[] = [];
  const { host } = new URL(url);
  await context.exposeBinding("reportToTest", (_source, text: string) => void problems.push(text));
  await context.addInitScript(`document.addEventListener("securitypolicyviolation", (event) =>
    reportToTest("CSP: " + event.violatedDirective + " refused " + event.blockedURI + " in " + event.sourceFile));`);
  context.on("console", (message) => {
    if (/content.security.policy/i.test(message.text())) problems.push(`CSP: ${message.text()}`);
  });
  context.on("weberror", (error) => void problems.push(`page error: ${error.error().stack ?? error.error().message}`));
  context.on("request", (request) => {
    const target = new URL(request.url());
    if (target.host !== host && target.host !== "") problems.push(`foreign host: ${request.method()} ${target.href}`);
  });
  return () => problems;
}
