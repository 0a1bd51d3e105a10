import type { Answer, HttpClient, RequestOptions } from "./client.ts";
import { createRateLimiter } from "./rate-limiter.ts";
import type { Login } from "./settings.ts";
import { UsageError } from "./settings.ts";
import { once } from "./until.ts";

export type Mode = "live" | "test";
export type Payload = Record<string, unknown>;

/** One account of the deployment, and the keys and domains that this run created in it. */
export class Account {
  readonly request: HttpClient;
  readonly jwt: Record<string, string>;
  /** One key per mode, created on first use. */
  readonly keyOf: Record<Mode, () => Promise<string>>;
  private readonly limitRate = { live: createRateLimiter(), test: createRateLimiter() };
  private readonly created = {
    keys: new Set<string>(),
    domains: new Set<number>(),
    members: new Set<string>(),
    listeners: new Set<string>(),
  };

  constructor(request: HttpClient, token: string) {
    this.request = request;
    this.jwt = { authorization: `Bearer ${token}` };
    const createOnce = (type: Mode) =>
      once(async () => String((await this.createKey({ name: "acceptance", type })).body?.key));
    this.keyOf = { live: createOnce("live"), test: createOnce("test") };
  }

  /** Authenticates with the JWT of the account. */
  async asUser(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return this.request(method, path, { ...options, headers: { ...this.jwt, ...options.headers } });
  }

  async withKey(mode: Mode, method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const headers = { "x-api-key": await this.keyOf[mode](), ...options.headers };
    return this.request(method, path, { ...options, headers });
  }

  /** Sends within the rate limits. Sends with other credentials of the account wait in the same queue. */
  async send(
    mode: Mode,
    body: unknown,
    headers?: Record<string, string>,
    query: Record<string, string> = {},
  ): Promise<Answer> {
    return this.sendAtTurn(mode, () => body, headers, query);
  }

  /** Makes the body when the rate limits admit the request, for a body that names a time. */
  async sendAtTurn(
    mode: Mode,
    makeBody: () => unknown,
    headers?: Record<string, string>,
    query: Record<string, string> = {},
  ): Promise<Answer> {
    const credential = headers ?? { "x-api-key": await this.keyOf[mode]() };
    return this.limitRate[mode](() =>
      this.request("POST", "/api/v1/send", { headers: credential, body: makeBody(), query }),
    );
  }

  /** Sends a batch within the rate limits: it counts as one request. */
  async sendBatch(mode: Mode, body: unknown, idempotencyKey?: string): Promise<Answer> {
    const key = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
    const headers = { "x-api-key": await this.keyOf[mode](), ...key };
    return this.limitRate[mode](() => this.request("POST", "/api/v1/send/batch", { headers, body }));
  }

  /** Sends within the rate limits, each mail directly after the one before it. */
  async sendTogether(mode: Mode, bodies: unknown[]): Promise<Answer[]> {
    const headers = { "x-api-key": await this.keyOf[mode]() };
    const requests = bodies.map((body) => () => this.request("POST", "/api/v1/send", { headers, body }));
    return Promise.all(requests.map((request, number) => this.limitRate[mode](request, bodies.length - number)));
  }

  async status(mode: Mode, id: string): Promise<Answer> {
    return this.withKey(mode, "GET", `/api/v1/send/${id}/status`);
  }

  async createKey(body: Payload): Promise<Answer> {
    const answer = await this.asUser("POST", "/api/v1/api-keys", { body });
    if (typeof answer.body?.id === "string") this.created.keys.add(answer.body.id);
    return answer;
  }

  async registerDomain(name: string): Promise<Answer> {
    const answer = await this.asUser("POST", "/api/v1/domains", { body: { domain_name: name } });
    if (Number.isInteger(answer.body?.domain_id)) this.created.domains.add(answer.body.domain_id);
    return answer;
  }

  /** A webhook of this account for test mail. Its notifications are read by requests, so the deployment need not reach this machine. */
  async createListener(types: string[]): Promise<string> {
    const { body } = await this.asUser("POST", "/api/v1/webhooks/listeners", { body: { types, mode: "test" } });
    this.created.listeners.add(String(body?.webhook_id));
    return String(body?.webhook_id);
  }

  /** Invites a person to this account. Returns the token of the invitation. A deployment that mails it does not return it. */
  async invite(person: { user_id: string; email: string }, role: string): Promise<string | undefined> {
    const { email, user_id } = person;
    const { status, text, body } = await this.asUser("POST", "/api/v1/invitations", { body: { email, role } });
    if (status !== 201) throw new Error(`the API answered an invitation with ${status} ${text.slice(0, 300)}`);
    if (typeof body.link !== "string") {
      await this.asUser("DELETE", `/api/v1/invitations/${body.id}`);
      return undefined;
    }
    this.created.members.add(user_id);
    return body.link.split("=").at(-1);
  }

  /** Removes everything that this run created and did not remove. Returns a message for each removal that failed. */
  async cleanUp(isFromThisRun: (address: string) => boolean): Promise<string[]> {
    const paths = [
      ...[...this.created.keys].map((id) => `/api/v1/api-keys/${id}`),
      ...[...this.created.domains].map((id) => `/api/v1/domains/${id}`),
      ...[...this.created.listeners].map((id) => `/api/v1/webhooks/${id}`),
      ...[...this.created.members].map((id) => `/api/v1/members/${id}`),
      ...(await this.suppressedAddresses(isFromThisRun)).map(
        (email) => `/api/v1/suppression/${encodeURIComponent(email)}`,
      ),
    ];
    const failures: string[] = [];
    for (const path of paths) {
      const { status } = await this.asUser("DELETE", path);
      if (status !== 200 && status !== 404) failures.push(`DELETE ${path} answered ${status}`);
    }
    return failures;
  }

  private async suppressedAddresses(isFromThisRun: (address: string) => boolean): Promise<string[]> {
    const found: string[] = [];
    for (let page = 1; page <= 20; page++) {
      const { body } = await this.asUser("GET", "/api/v1/suppression", { query: { limit: 100, page } });
      const entries: { email: string }[] = body?.data ?? [];
      found.push(...entries.map(({ email }) => email).filter(isFromThisRun));
      if (entries.length < 100) break;
    }
    return found;
  }
}

export async function logIn(request: HttpClient, { email, password }: Login): Promise<Account> {
  const answer = await request("POST", "/api/v1/auth/login", { body: { email, password } });
  if (answer.status !== 200) throw new UsageError(`${email} could not log in: ${answer.status} ${answer.text}`);
  return new Account(request, answer.body.access_token);
}
