import type { Simulation } from "../simulation.ts";
import { type ConfigurationSet, suppressionReasons } from "./configuration-set.ts";
import { pageOf } from "./page-of.ts";
import { type Json, readBoolean, readNumber, readObject, readString, readStrings, requireString } from "./read-json.ts";
import { badRequest, notFound, SesError } from "./ses-error.ts";
import type { SesRequest } from "./ses-request.ts";

const maxConfigurationSets = 10_000;
const storedOptions = ["TrackingOptions", "DeliveryOptions", "ReputationOptions", "VdmOptions", "ArchivingOptions"];

export function createConfigurationSet(simulation: Simulation, { body }: SesRequest): Json {
  const name = requireString(body, "ConfigurationSetName");
  requireName(name);
  if (simulation.configurationSets.has(name)) {
    throw new SesError("AlreadyExistsException", `Configuration set <${name}> already exists.`);
  }
  if (simulation.configurationSets.size >= maxConfigurationSets) {
    throw new SesError("LimitExceededException", "You have exceeded the maximum number of configuration sets.");
  }
  requireDeliverySeconds(readObject(body, "DeliveryOptions"));
  const suppression = readObject(body, "SuppressionOptions");
  simulation.configurationSets.set(name, {
    name,
    sendingEnabled: readBoolean(readObject(body, "SendingOptions") ?? {}, "SendingEnabled") ?? true,
    ...(suppression && { suppressedReasons: readReasons(suppression) }),
    destinations: [],
    other: Object.fromEntries(storedOptions.flatMap((option) => (body[option] ? [[option, body[option]]] : []))),
  });
  return {};
}

export function getConfigurationSet(simulation: Simulation, { params }: SesRequest): Json {
  const set = requireConfigurationSet(simulation, params[0]);
  return {
    ConfigurationSetName: set.name,
    ReputationOptions: { ReputationMetricsEnabled: false },
    ...set.other,
    SendingOptions: { SendingEnabled: set.sendingEnabled },
    ...(set.suppressedReasons && { SuppressionOptions: { SuppressedReasons: set.suppressedReasons } }),
  };
}

export function deleteConfigurationSet(simulation: Simulation, { params }: SesRequest): Json {
  simulation.configurationSets.delete(requireConfigurationSet(simulation, params[0]).name);
  return {};
}

export function listConfigurationSets(simulation: Simulation, { body }: SesRequest): Json {
  const names = [...simulation.configurationSets.values()].map((set) => set.name);
  const { page, next } = pageOf(names, readNumber(body, "PageSize"), readString(body, "NextToken"));
  return { ConfigurationSets: page, ...next };
}

export function putSuppressionOptions(simulation: Simulation, { params, body }: SesRequest): Json {
  const set = requireConfigurationSet(simulation, params[0]);
  simulation.configurationSets.set(set.name, { ...set, suppressedReasons: readReasons(body) });
  return {};
}

export function putSendingOptions(simulation: Simulation, { params, body }: SesRequest): Json {
  const set = requireConfigurationSet(simulation, params[0]);
  simulation.configurationSets.set(set.name, { ...set, sendingEnabled: readBoolean(body, "SendingEnabled") ?? false });
  return {};
}

export function requireConfigurationSet(simulation: Simulation, name = ""): ConfigurationSet {
  const set = simulation.configurationSets.get(name);
  if (set === undefined) throw notFound(`Configuration set <${name}> does not exist.`);
  return set;
}

export function readReasons(from: Json) {
  return readStrings(from, "SuppressedReasons").map((given) => {
    const reason = suppressionReasons.find((known) => known === given);
    if (reason === undefined) throw badRequest(`Value '${given}' at 'SuppressedReasons' is not BOUNCE or COMPLAINT`);
    return reason;
  });
}

function requireName(name: string): void {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw badRequest("Configuration set name must be 1 to 64 letters, digits, underscores or dashes.");
  }
}

function requireDeliverySeconds(options: Json = {}): void {
  const seconds = readNumber(options, "MaxDeliverySeconds");
  if (seconds !== undefined && (seconds < 300 || seconds > 50_400)) {
    throw badRequest("MaxDeliverySeconds must be between 300 and 50400.");
  }
}
