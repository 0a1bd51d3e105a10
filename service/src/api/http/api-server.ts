import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { AcceptDesk } from "../../accept/accept-send.ts";
import type { KeyPress } from "../../api-keys/create-api-key.ts";
import type { DomainDesk } from "../../domains/register-domain.ts";
import type { TakeFeedback } from "../../feedback/take-feedback.ts";
import type { Log } from "../../log.ts";
import type { LoginDesk } from "../../logins/log-in.ts";
import type { Metrics } from "../../metrics.ts";
import type { FeedbackPush } from "../../provider/feedback.ts";
import type { Readiness } from "../../status/readiness.ts";
import type { Authenticator } from "../auth/authenticate.ts";

declare module "fastify" {
  interface FastifyReply {
    /** What else the log line of the answer tells. */
    facts: Record<string, string | boolean> | undefined;
  }
}

export type ApiServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** What the routes need; `main/api.ts` makes it from the configuration. */
export interface ApiParts {
  log: Log;
  metrics: Metrics;
  readiness: () => Promise<Readiness>;
  authenticator: Authenticator;
  loginDesk: LoginDesk;
  keyPress: KeyPress;
  acceptDesk: AcceptDesk;
  /** Both undefined until the installation is connected to AWS. */
  domainDesk: DomainDesk | undefined;
  feedbackDoor: { push: FeedbackPush; take: TakeFeedback } | undefined;
  http: { publicUrl: string; trustedProxies: string[]; showReference: boolean };
}
