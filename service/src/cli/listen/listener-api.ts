import { AppError } from "../../errors.ts";
import type { Mode } from "../../mode.ts";
import type { NotificationType } from "../../webhooks/notification-types.ts";

export interface ListenedNotification {
  notification_id: string;
  type: NotificationType;
  body: string;
}

export interface Listener {
  webhook_id: string;
  mode: Mode;
}

export interface ListenerApi {
  create(wanted: { types?: NotificationType[] | undefined; mode?: Mode | undefined }): Promise<Listener>;
  take(id: string, limit: number): Promise<ListenedNotification[]>;
  delete(id: string): Promise<void>;
}

/** Probably passes without anybody doing something. */
export class PassingFailure extends AppError {}

/** The API no longer has the listener. */
export class ListenerEnded extends Error {}

interface ApiOptions {
  url: string;
  apiKey: string;
  signal: AbortSignal;
}

const timeoutMs = 10_000;

/** The part of the API that `postern listen` needs. Failures say what to do. `signal` ends requests, except a deletion. */
export function openListenerApi({ url, apiKey, signal }: ApiOptions): ListenerApi {
  async function call(method: "POST" | "DELETE", path: string, body?: object, ended?: AbortSignal): Promise<Response> {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      return await fetch(`${url}/api/v1/webhooks${path}`, {
        method,
        headers: { "x-api-key": apiKey, ...(body !== undefined && { "content-type": "application/json" }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // A redirect would get the key.
        redirect: "manual",
        signal: ended === undefined ? timeout : AbortSignal.any([timeout, ended]),
      });
    } catch (error) {
      throw new PassingFailure(
        "UNAVAILABLE",
        `The API at ${url} cannot be reached (${reasonOf(error)}). Check POSTERN_URL, and that the API runs.`,
        { cause: error },
      );
    }
  }

  return {
    async create({ types, mode }) {
      const response = await call("POST", "/listeners", { types, mode }, signal);
      if (response.status === 201) return read<Listener>(url, response);
      throw await refusal(url, response);
    },
    async take(id, limit) {
      const response = await call("POST", `/listeners/${id}/take`, { limit }, signal);
      if (response.status === 404) throw new ListenerEnded();
      if (response.status !== 200) throw await refusal(url, response);
      return (await read<{ notifications: ListenedNotification[] }>(url, response)).notifications;
    },
    async delete(id) {
      const response = await call("DELETE", `/${id}`);
      if (response.status !== 200 && response.status !== 404) throw await refusal(url, response);
    },
  };
}

/** The API of this release validates its answers, so their types are taken as given. */
async function read<Answer>(url: string, response: Response): Promise<Answer> {
  try {
    return (await response.json()) as Answer;
  } catch (error) {
    throw new PassingFailure("UNAVAILABLE", `The answer of ${url} is incomplete or not JSON.`, { cause: error });
  }
}

async function refusal(url: string, response: Response): Promise<AppError> {
  const { status } = response;
  const message = await messageOf(response);
  if (status >= 500 || status === 429) {
    return new PassingFailure("UNAVAILABLE", `The API at ${url} answers ${status}. ${message}`.trimEnd());
  }
  if (status === 401 || status === 403) {
    const advice = "Set POSTERN_API_KEY to a key with the scopes webhooks and read.";
    return new AppError("UNAUTHORIZED", `The API at ${url} refuses the key. ${message} ${advice}`);
  }
  if (message !== "" && status !== 404)
    return new AppError("CONFLICT", `The API at ${url} refuses the listener. ${message}`);
  return new AppError(
    "NOT_FOUND",
    `${url} answers ${status}: it is no Postern API, or an older one than this command. Check POSTERN_URL.`,
  );
}

interface ErrorBody {
  error?: { message?: string };
}

/** Empty unless the answer is an error of Postern. */
async function messageOf(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as ErrorBody; // Both fields may be absent.
    return error?.message ?? "";
  } catch {
    return "";
  }
}

/** The text of an error of fetch is in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no answer within ${timeoutMs / 1000} seconds`;
  if (error.cause instanceof AggregateError) return reasonOf(error.cause.errors[0]);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
