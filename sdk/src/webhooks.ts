import type {
  ChangeWebhookBody,
  CreatedWebhook,
  CreateWebhookBody,
  CreateWebhookListenerBody,
  DeleteWebhookAnswer,
  ListWebhookDeliveriesAnswer,
  ListWebhookDeliveriesQuery,
  ListWebhookReplaysAnswer,
  ListWebhooksAnswer,
  ReplayWebhookBody,
  ReplayWebhookDeliveryAnswer,
  RotatedWebhook,
  RotateWebhookSecretBody,
  TakeNotificationsBody,
  TakenNotifications,
  TestWebhookAnswer,
  TestWebhookBody,
  Webhook,
  WebhookCurl,
  WebhookDelivery,
  WebhookDeliveryDetails,
  WebhookListener,
  WebhookReplay,
} from "./api-types.ts";
import { eachEntry } from "./each-entry.ts";
import type { Requester } from "./request.ts";
import type { Call } from "./result.ts";
import type { CallOptions, ModeOptions } from "./settings.ts";

export class Webhooks {
  readonly #request: Requester;

  constructor(request: Requester) {
    this.#request = request;
  }

  /** Creates a webhook. Only this answer contains the secret. Retries on 429 only. */
  create(webhook: CreateWebhookBody, options?: CallOptions): Call<CreatedWebhook> {
    return this.#request("POST /api/v1/webhooks", { body: webhook }, { options, isSafeToRetry: false });
  }

  list({ mode, ...options }: ModeOptions = {}): Call<ListWebhooksAnswer> {
    return this.#request("GET /api/v1/webhooks", { query: { mode } }, { options });
  }

  get(webhookId: string, options?: CallOptions): Call<Webhook> {
    return this.#request("GET /api/v1/webhooks/{id}", { path: { id: webhookId } }, { options });
  }

  /** Changes what is given. `{ enabled: false }` pauses its deliveries, `{ enabled: true }` sends them. */
  change(webhookId: string, change: ChangeWebhookBody, options?: CallOptions): Call<Webhook> {
    return this.#request("PATCH /api/v1/webhooks/{id}", { path: { id: webhookId }, body: change }, { options });
  }

  delete(webhookId: string, options?: CallOptions): Call<DeleteWebhookAnswer> {
    return this.#request("DELETE /api/v1/webhooks/{id}", { path: { id: webhookId } }, { options });
  }

  /** Gives the webhook a new secret, which only this answer contains. Retries on 429 only. */
  rotate(webhookId: string, rotation: RotateWebhookSecretBody = {}, options?: CallOptions): Call<RotatedWebhook> {
    return this.#request(
      "POST /api/v1/webhooks/{id}/rotate",
      { path: { id: webhookId }, body: rotation },
      { options, isSafeToRetry: false },
    );
  }

  /** Sends an example notification to this webhook. Retries on 429 only. */
  test(webhookId: string, test: TestWebhookBody, options?: CallOptions): Call<TestWebhookAnswer> {
    return this.#request(
      "POST /api/v1/webhooks/{id}/test",
      { path: { id: webhookId }, body: test },
      { options, isSafeToRetry: false },
    );
  }

  /** One page, newest first. */
  deliveries(
    webhookId: string,
    query: ListWebhookDeliveriesQuery = {},
    options?: CallOptions,
  ): Call<ListWebhookDeliveriesAnswer> {
    return this.#request("GET /api/v1/webhooks/{id}/deliveries", { path: { id: webhookId }, query }, { options });
  }

  /** Iterates over all deliveries, newest first, page by page. Throws a `PosternError` when a page cannot be read. */
  eachDelivery(
    webhookId: string,
    query: ListWebhookDeliveriesQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<WebhookDelivery, void, undefined> {
    const list = (page: ListWebhookDeliveriesQuery) => this.deliveries(webhookId, page, options);
    return eachEntry(list, query, ({ data }) => ({ entries: data.deliveries, pagination: data.pagination }));
  }

  /** The delivery with all attempts and the body that they send. */
  delivery(webhookId: string, deliveryId: string, options?: CallOptions): Call<WebhookDeliveryDetails> {
    return this.#request(
      "GET /api/v1/webhooks/{id}/deliveries/{delivery_id}",
      { path: { id: webhookId, delivery_id: deliveryId } },
      { options },
    );
  }

  /** Sends the notification of a delivery again, with the same id and body. Retries on 429 only. */
  replay(webhookId: string, deliveryId: string, options?: CallOptions): Call<ReplayWebhookDeliveryAnswer> {
    return this.#request(
      "POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/replay",
      { path: { id: webhookId, delivery_id: deliveryId } },
      { options, isSafeToRetry: false },
    );
  }

  /** A curl command that repeats the request of a delivery, with a new timestamp and signature. Postern sends nothing. */
  curl(webhookId: string, deliveryId: string, options?: CallOptions): Call<WebhookCurl> {
    return this.#request(
      "POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/curl",
      { path: { id: webhookId, delivery_id: deliveryId } },
      { options },
    );
  }

  /**
   * Sends everything of a time range again, also from before the webhook existed. Notifications that are no longer stored are rebuilt with
   * the same id. Retries on 429 only.
   */
  replayRange(webhookId: string, range: ReplayWebhookBody, options?: CallOptions): Call<WebhookReplay> {
    return this.#request(
      "POST /api/v1/webhooks/{id}/replay",
      { path: { id: webhookId }, body: range },
      { options, isSafeToRetry: false },
    );
  }

  /**
   * Creates a webhook without a URL, for development: take its notifications once a second. It ends 60 seconds after the last take, or
   * when you delete it. Retries on 429 only.
   */
  createListener(listener: CreateWebhookListenerBody = {}, options?: CallOptions): Call<WebhookListener> {
    return this.#request("POST /api/v1/webhooks/listeners", { body: listener }, { options, isSafeToRetry: false });
  }

  /** The notifications that wait for the listener, oldest first. No later call returns them again. Retries on 429 only. */
  takeNotifications(
    listenerId: string,
    take: TakeNotificationsBody = {},
    options?: CallOptions,
  ): Call<TakenNotifications> {
    return this.#request(
      "POST /api/v1/webhooks/listeners/{id}/take",
      { path: { id: listenerId }, body: take },
      { options, isSafeToRetry: false },
    );
  }

  /** The replays of time ranges, newest first, at most 100. */
  replays(webhookId: string, options?: CallOptions): Call<ListWebhookReplaysAnswer> {
    return this.#request("GET /api/v1/webhooks/{id}/replays", { path: { id: webhookId } }, { options });
  }

  /** The replay of a time range with its progress. */
  replayOf(webhookId: string, replayId: string, options?: CallOptions): Call<WebhookReplay> {
    return this.#request(
      "GET /api/v1/webhooks/{id}/replays/{replay_id}",
      { path: { id: webhookId, replay_id: replayId } },
      { options },
    );
  }

  /** Adds no more deliveries. At most 1,000 that the replay added may still be sent. Retries on 429 only. */
  cancelReplay(webhookId: string, replayId: string, options?: CallOptions): Call<WebhookReplay> {
    return this.#request(
      "POST /api/v1/webhooks/{id}/replays/{replay_id}/cancel",
      { path: { id: webhookId, replay_id: replayId } },
      { options, isSafeToRetry: false },
    );
  }
}
