import { afterEach, beforeEach, vi } from "vitest";
import { createSesProvider, type SesProviderOptions } from "../src/provider/ses/ses-provider.ts";
import { aConfigurationSet, aMail } from "./email-provider-contract.ts";
import { useSesSimulator } from "./use-ses-simulator.ts";

/** The SES provider against its own simulator, through the AWS SDK. */
export function useSesProvider() {
  const simulator = useSesSimulator();
  beforeEach(() => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "simulator");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "simulator");
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await simulator.control("DELETE", "rules");
  });

  const sesProvider = (changes: Partial<SesProviderOptions> = {}) =>
    createSesProvider({
      region: simulator.region,
      endpoint: simulator.url,
      accountId: "000000000000",
      partition: "aws",
      ...changes,
    });

  /** Submits one mail under this fault. The fault stays active, so a second request would be counted. */
  const submitWithFault = async (fault: object, options: Partial<SesProviderOptions> = {}) => {
    const provider = sesProvider(options);
    const configurationSetName = await aConfigurationSet(provider);
    const before = (await simulator.control("GET", "health")).accepted;
    const rule = await simulator.control("POST", "rules", { fault });
    const answer = await provider.submit(aMail({ configurationSetName }));
    const { rules } = await simulator.control("GET", "rules");
    const requests = rules.find(({ id }: { id: string }) => id === rule.id).applied;
    return { answer, requests, accepted: (await simulator.control("GET", "health")).accepted - before };
  };

  return { simulator, sesProvider, submitWithFault };
}
