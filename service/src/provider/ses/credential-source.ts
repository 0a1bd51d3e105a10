import { defaultProvider } from "@aws-sdk/credential-provider-node";

type Source = ReturnType<typeof defaultProvider>;
type Credentials = Awaited<ReturnType<Source>>;

/** The SDK refreshes credentials this long before they end. */
const refreshMs = 5 * 60_000;
/** Credentials that end sooner could end before the request arrives. */
const usableMs = 60_000;
const firstRetryMs = 60_000;

/**
 * The sources of credentials that every AWS tool knows, without waiting forever for one answer. The SDK has one load at a time and gives
 * it no deadline: a credential process or endpoint that never answers would stop this client until a restart.
 *
 * 1. While the credentials are valid, a refresh runs in the background, and a source that hangs stops nothing.
 * 2. A load without an answer is repeated after a minute, then after half the time since the first one: the unanswered processes stay
 *    few, and a source that works again is found in time. Nothing can end the old loads, so the first answer of any load counts.
 */
export function createCredentialSource(
  openSource: () => Source,
  clock: () => number = () => performance.now(),
): (options?: Parameters<Source>[0]) => Promise<Credentials> {
  const unanswered: { startedAt: number; answer: Promise<Credentials> }[] = [];
  let latest: Credentials | undefined;
  let arrival = Promise.withResolvers<Credentials>();

  function start(options: Parameters<Source>[0]): void {
    const load = { startedAt: clock(), answer: openSource()(options) };
    unanswered.push(load);
    const end = () => void unanswered.splice(unanswered.indexOf(load), 1);
    load.answer.then((credentials) => {
      end();
      if (latest === undefined || remainingMs(credentials) >= remainingMs(latest)) latest = credentials;
      // An answer that took hours may have ended meanwhile.
      if (remainingMs(credentials) <= usableMs) return;
      arrival.resolve(credentials);
      arrival = Promise.withResolvers();
    }, end);
  }

  function isLoadDue(): boolean {
    const [first] = unanswered;
    const newest = unanswered.at(-1);
    if (first === undefined || newest === undefined) return true;
    return clock() - newest.startedAt > Math.max(firstRetryMs, (newest.startedAt - first.startedAt) / 2);
  }

  return async (options) => {
    if (latest !== undefined && remainingMs(latest) > refreshMs) return latest;
    if (isLoadDue()) start(options);
    if (latest !== undefined && remainingMs(latest) > usableMs) return latest;
    const newest = unanswered.at(-1);
    return newest === undefined ? arrival.promise : Promise.race([newest.answer, arrival.promise]);
  };
}

function remainingMs({ expiration }: Credentials): number {
  return expiration === undefined ? Number.POSITIVE_INFINITY : expiration.getTime() - Date.now();
}

/** For the setting `credentialDefaultProvider` of an SDK client, which passes its own settings. */
export function credentialDefaultProvider(init: Parameters<typeof defaultProvider>[0]) {
  return createCredentialSource(() => defaultProvider(init));
}
