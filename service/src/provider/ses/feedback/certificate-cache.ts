import { type KeyObject, X509Certificate } from "node:crypto";

export type FetchCertificate = (url: string) => Promise<string>;

export interface CertificateCache {
  find(url: string): Promise<FoundCertificate>;
}

export type FoundCertificate =
  | { kind: "found"; publicKey: KeyObject; validFrom: number; validTo: number }
  | { kind: "unavailable"; reason: string };

/** SNS uses one or two certificates per region at a time. */
const maxCertificates = 16;
/** Shorter than the 20 s after which SNS retries. */
const failureMs = 10_000;
/** Limits the fetches that an attacker can cause with invented addresses at the right host. */
const maxFailures = 64;
const maxFetches = 8;
const minKeyBits = 2_048;

/**
 * Each certificate has its own address, so the cache fetches an address once. It forgets a failure after `failureMs`.
 */
export function createCertificateCache(fetchCertificate: FetchCertificate, now: () => number): CertificateCache {
  const certificates = new Map<string, FoundCertificate>();
  const failures = new Map<string, { reason: string; until: number }>();
  const fetches = new Map<string, Promise<FoundCertificate>>();

  async function fetchAndKeep(url: string): Promise<FoundCertificate> {
    try {
      const found = readCertificate(await fetchCertificate(url));
      keep(certificates, maxCertificates, url, found);
      return found;
    } catch (error) {
      const reason = `the certificate cannot be fetched: ${error instanceof Error ? error.message : String(error)}`;
      keep(failures, maxFailures, url, { reason, until: now() + failureMs });
      return { kind: "unavailable", reason };
    } finally {
      fetches.delete(url);
    }
  }

  return {
    async find(url) {
      const found = certificates.get(url);
      if (found !== undefined) return found;
      const failure = failures.get(url);
      if (failure !== undefined && now() < failure.until) return { kind: "unavailable", reason: failure.reason };
      const running = fetches.get(url);
      if (running !== undefined) return running;
      if (fetches.size >= maxFetches)
        return { kind: "unavailable", reason: "too many certificate fetches are running" };
      const started = fetchAndKeep(url);
      fetches.set(url, started);
      return started;
    },
  };
}

/** The caller checks the validity period on each use, because a cached certificate can expire. */
function readCertificate(pem: string): FoundCertificate {
  const { publicKey, validFromDate, validToDate } = new X509Certificate(pem);
  const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0;
  if (publicKey.asymmetricKeyType !== "rsa" || bits < minKeyBits)
    throw new Error("its key is not an RSA key of at least 2048 bits");
  return { kind: "found", publicKey, validFrom: validFromDate.getTime(), validTo: validToDate.getTime() };
}

function keep<Value>(map: Map<string, Value>, maxSize: number, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > maxSize && oldest !== undefined) map.delete(oldest);
}
