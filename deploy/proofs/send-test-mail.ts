import { until } from "../../service/proofs/until.ts";

/** Logs in, creates a test key, sends through the APIs alternately, and returns the number of delivered sends. */
export async function sendTestMail(urls: string[], user: { email: string; password: string }, count: number) {
  const urlFor = (number: number) => urls[number % urls.length] ?? "";
  const { access_token } = await call(`${urlFor(0)}/api/v1/auth/login`, {}, user);
  const authorization = `Bearer ${String(access_token)}`;
  const { key } = await call(`${urlFor(1)}/api/v1/api-keys`, { authorization }, { name: "proof", type: "test" });
  const headers = { "x-api-key": String(key) };
  const mail = { from: "hello@sandbox.test", to: ["delivered@sandbox.test"], subject: "Hi", text: "Hi" };
  const left = new Set<string>();
  for (let number = 0; number < count; number++)
    left.add(String((await call(`${urlFor(number)}/api/v1/send`, headers, mail)).id));
  const sent = left.size;
  await until(`${count} test mails are delivered`, 60, async () => {
    for (const id of left) {
      const { status } = await call(`${urlFor(left.size)}/api/v1/send/${id}/status`, headers);
      if (status !== "delivered") return false;
      left.delete(id);
    }
    return true;
  });
  return sent - left.size;
}

async function call(url: string, headers: Record<string, string>, body?: object): Promise<Record<string, unknown>> {
  const post = { method: "POST", body: JSON.stringify(body) };
  const sent =
    body === undefined ? { headers } : { ...post, headers: { ...headers, "content-type": "application/json" } };
  const response = await fetch(url, sent);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return JSON.parse(await response.text());
}
