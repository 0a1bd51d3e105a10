import { type KeyObject, X509Certificate } from "node:crypto";

export type FetchCertificate = (url: string) => Promise<string>;

export interface CertificateCache {
  find(url: string): Promise<FoundCertificate>;
}

export type FoundCertificate =
  | { kind: "found"; publicKey: KeyObject; validFrom: number; validTo: number }
  | { kind: "unavailable"; reason: string };

/** SNS has one or two certificates per region at a time. */
const maxKept = 16;
/** Shorter than the 20 s after which SNS tries again. */
const failureMs = 10_000;
/** A stranger who invents addresses at the right host must not make us knock there without end. */
const maxFailures = 64;
const maxFetches = 8;
const leastKeyBits = 2_048;

/** The address of a certificate names its content, so it is fetched once. Failures are forgotten soon. */
export function createCertificateCache(fetchCertificate: FetchCertificate, now: () => number): CertificateCache {
  const kept = new Map<string, FoundCertificate>();
  const failures = new Map<string, { reason: string; until: number }>();
  const underWay = new Map<string, Promise<FoundCertificate>>();

  async function fetchAndKeep(url: string): Promise<FoundCertificate> {
    try {
      const found = readCertificate(await fetchCertificate(url));
      keep(kept, maxKept, url, found);
      return found;
    } catch (error) {
      const reason = `the certificate cannot be had: ${error instanceof Error ? error.message : String(error)}`;
      keep(failures, maxFailures, url, { reason, until: now() + failureMs });
      return { kind: "unavailable", reason };
    } finally {
      underWay.delete(url);
    }
  }

  return {
    async find(url) {
      const found = kept.get(url);
      if (found !== undefined) return found;
      const failure = failures.get(url);
      if (failure !== undefined && now() < failure.until) return { kind: "unavailable", reason: failure.reason };
      const fetching = underWay.get(url);
      if (fetching !== undefined) return fetching;
      if (underWay.size >= maxFetches) return { kind: "unavailable", reason: "too many certificates are asked for" };
      const started = fetchAndKeep(url);
      underWay.set(url, started);
      return started;
    },
  };
}

/** Its validity is judged when it is used: it may have ended since. */
function readCertificate(pem: string): FoundCertificate {
  const { publicKey, validFromDate, validToDate } = new X509Certificate(pem);
  const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0;
  if (publicKey.asymmetricKeyType !== "rsa" || bits < leastKeyBits)
    throw new Error("its key is no RSA key of 2048 bits");
  return { kind: "found", publicKey, validFrom: validFromDate.getTime(), validTo: validToDate.getTime() };
}

function keep<Value>(map: Map<string, Value>, most: number, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
