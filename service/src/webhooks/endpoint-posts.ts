/** Posts to one endpoint at a time, over all workers: a worker that holds more leases lets them wait here. */
export const postsPerEndpoint = 4;
/** An endpoint that answers within this time is worth a stock of leases, so that not every fourth post costs a claim. */
const fastWithinMs = 50;
/** A stock of this size lasts until the next claim has ended. */
const enoughWaiting = 4;
/** Endpoints without a newer answer are forgotten, so that the list does not grow. */
const forgetAfterMs = 1_000;

interface Posts {
  posting: number;
  /** In the order of their claims. Called with false when the delivery is to be given back. */
  waiting: ((mayPost: boolean) => void)[];
  fastAt: number | undefined;
}

/** Which deliveries of this worker are posted now, endpoint by endpoint. */
export class EndpointPosts {
  readonly #endpoints = new Map<string, Posts>();
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Resolves when a post may start, which `end` must follow, or with false: give the delivery back. */
  async begin(endpointId: string): Promise<boolean> {
    const posts = this.#of(endpointId);
    if (posts.posting >= postsPerEndpoint)
      return new Promise((resolve) => {
        posts.waiting.push(resolve);
      });
    posts.posting += 1;
    return true;
  }

  /** After a slow answer or a failure everything that waits is given back: no delivery waits for an endpoint that hangs. */
  end(endpointId: string, { isSuccess, durationMs }: { isSuccess: boolean; durationMs: number | undefined }): void {
    const posts = this.#of(endpointId);
    const isFast = isSuccess && durationMs !== undefined && durationMs <= fastWithinMs;
    posts.fastAt = isFast ? this.#clock() : undefined;
    const next = isFast ? posts.waiting.shift() : undefined;
    if (!isFast) for (const giveBack of posts.waiting.splice(0)) giveBack(false);
    if (next === undefined) posts.posting -= 1;
    else next(true);
    if (posts.posting === 0 && posts.fastAt === undefined) this.#endpoints.delete(endpointId);
  }

  /** Whether the endpoint has too few waiting deliveries to last until the next claim has ended. */
  isShort(endpointId: string): boolean {
    return (this.#endpoints.get(endpointId)?.waiting.length ?? 0) < enoughWaiting;
  }

  /** The endpoints whose last answer was fast, and a moment ago. */
  fast(): string[] {
    const since = this.#clock() - forgetAfterMs;
    const fast: string[] = [];
    for (const [id, { posting, fastAt }] of this.#endpoints) {
      if (fastAt !== undefined && fastAt >= since) fast.push(id);
      else if (posting === 0) this.#endpoints.delete(id);
    }
    return fast;
  }

  #of(endpointId: string): Posts {
    let posts = this.#endpoints.get(endpointId);
    if (posts === undefined) {
      posts = { posting: 0, waiting: [], fastAt: undefined };
      this.#endpoints.set(endpointId, posts);
    }
    return posts;
  }
}
