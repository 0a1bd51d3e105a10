import type { Answer, Ask, Question } from "./client.ts";
import { createSendPace } from "./send-pace.ts";
import type { Login } from "./settings.ts";
import { UsageError } from "./settings.ts";
import { once } from "./until.ts";

export type Mode = "live" | "test";
export type Payload = Record<string, unknown>;

/** One account of the deployment as a caller has it, and what this run made in it. */
export class Account {
  readonly ask: Ask;
  readonly jwt: Record<string, string>;
  /** Keys of this run, one for each mode; made when first needed. */
  readonly keyOf: Record<Mode, () => Promise<string>>;
  private readonly pace = { live: createSendPace(), test: createSendPace() };
  private readonly made = { keys: new Set<string>(), domains: new Set<number>() };

  constructor(ask: Ask, token: string) {
    this.ask = ask;
    this.jwt = { authorization: `Bearer ${token}` };
    const aKey = (type: Mode) =>
      once(async () => String((await this.createKey({ name: "acceptance", type })).body?.key));
    this.keyOf = { live: aKey("live"), test: aKey("test") };
  }

  /** With the JWT of the account. */
  async asUser(method: string, path: string, question: Question = {}): Promise<Answer> {
    return this.ask(method, path, { ...question, headers: { ...this.jwt, ...question.headers } });
  }

  async withKey(mode: Mode, method: string, path: string, question: Question = {}): Promise<Answer> {
    const headers = { "x-api-key": await this.keyOf[mode](), ...question.headers };
    return this.ask(method, path, { ...question, headers });
  }

  /** Sends at the pace the limits allow. A send with other credentials of the account takes its turn as well. */
  async send(mode: Mode, body: unknown, headers?: Record<string, string>): Promise<Answer> {
    const credential = headers ?? { "x-api-key": await this.keyOf[mode]() };
    return this.pace[mode](() => this.ask("POST", "/api/v1/send", { headers: credential, body }));
  }

  async status(mode: Mode, id: string): Promise<Answer> {
    return this.withKey(mode, "GET", `/api/v1/send/${id}/status`);
  }

  async createKey(body: Payload): Promise<Answer> {
    const answer = await this.asUser("POST", "/api/v1/api-keys", { body });
    if (typeof answer.body?.id === "string") this.made.keys.add(answer.body.id);
    return answer;
  }

  async registerDomain(name: string): Promise<Answer> {
    const answer = await this.asUser("POST", "/api/v1/domains", { body: { domain_name: name } });
    if (Number.isInteger(answer.body?.domain_id)) this.made.domains.add(answer.body.domain_id);
    return answer;
  }

  /** Removes what this run made and has not removed itself; returns what stayed, as sentences. */
  async cleanUp(isOurs: (address: string) => boolean): Promise<string[]> {
    const paths = [
      ...[...this.made.keys].map((id) => `/api/v1/api-keys/${id}`),
      ...[...this.made.domains].map((id) => `/api/v1/domains/${id}`),
      ...(await this.suppressedAddresses(isOurs)).map(
        (email) => `/api/v1/suppression/${encodeURIComponent(email)}?mode=test`,
      ),
    ];
    const left: string[] = [];
    for (const path of paths) {
      const { status } = await this.asUser("DELETE", path);
      if (status !== 200 && status !== 404) left.push(`DELETE ${path} was answered ${status}`);
    }
    return left;
  }

  private async suppressedAddresses(isOurs: (address: string) => boolean): Promise<string[]> {
    const found: string[] = [];
    for (let page = 1; page <= 20; page++) {
      const { body } = await this.asUser("GET", "/api/v1/suppression", { query: { mode: "test", limit: 100, page } });
      const entries: { email: string }[] = body?.data ?? [];
      found.push(...entries.map(({ email }) => email).filter(isOurs));
      if (entries.length < 100) break;
    }
    return found;
  }
}

export async function logIn(ask: Ask, { email, password }: Login): Promise<Account> {
  const answer = await ask("POST", "/api/v1/auth/login", { body: { email, password } });
  if (answer.status !== 200) throw new UsageError(`${email} could not log in: ${answer.status} ${answer.text}`);
  return new Account(ask, answer.body.access_token);
}
