import { policyAllows } from "../policy/policy-allows.ts";
import type { Simulation } from "../simulation.ts";
import { type EventDestination, eventTypes } from "./configuration-set.ts";
import { requireConfigurationSet } from "./configuration-set-operations.ts";
import { type Json, readBoolean, readObject, readStrings, requireString } from "./read-json.ts";
import { badRequest, notFound, SesError } from "./ses-error.ts";
import type { SesRequest } from "./ses-request.ts";

const maxDestinations = 10;

export function createEventDestination(simulation: Simulation, { params, body }: SesRequest): Json {
  const set = requireConfigurationSet(simulation, params[0]);
  const name = requireString(body, "EventDestinationName");
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) throw badRequest(`Invalid event destination name <${name}>.`);
  if (set.destinations.some((destination) => destination.name === name)) {
    throw new SesError("AlreadyExistsException", `Event destination <${name}> already exists.`);
  }
  if (set.destinations.length >= maxDestinations) {
    throw new SesError(
      "LimitExceededException",
      `A configuration set has at most ${maxDestinations} event destinations.`,
    );
  }
  const destination = readDestination(simulation, set.name, name, body);
  simulation.configurationSets.set(set.name, { ...set, destinations: [...set.destinations, destination] });
  return {};
}

export function getEventDestinations(simulation: Simulation, { params }: SesRequest): Json {
  const { destinations } = requireConfigurationSet(simulation, params[0]);
  return {
    EventDestinations: destinations.map((destination) => ({
      Name: destination.name,
      Enabled: destination.enabled,
      MatchingEventTypes: destination.matchingEventTypes,
      SnsDestination: { TopicArn: destination.topicArn },
    })),
  };
}

export function updateEventDestination(simulation: Simulation, { params, body }: SesRequest): Json {
  const set = requireConfigurationSet(simulation, params[0]);
  const name = requireDestinationName(set.destinations, params[1]);
  const changed = readDestination(simulation, set.name, name, body);
  const destinations = set.destinations.map((destination) => (destination.name === name ? changed : destination));
  simulation.configurationSets.set(set.name, { ...set, destinations });
  return {};
}

export function deleteEventDestination(simulation: Simulation, { params }: SesRequest): Json {
  const set = requireConfigurationSet(simulation, params[0]);
  const name = requireDestinationName(set.destinations, params[1]);
  const destinations = set.destinations.filter((destination) => destination.name !== name);
  simulation.configurationSets.set(set.name, { ...set, destinations });
  return {};
}

function requireDestinationName(destinations: EventDestination[], name = ""): string {
  if (destinations.some((destination) => destination.name === name)) return name;
  throw notFound(`Event destination <${name}> does not exist.`);
}

function readDestination(simulation: Simulation, setName: string, name: string, body: Json): EventDestination {
  const definition = readObject(body, "EventDestination");
  if (definition === undefined) throw badRequest("EventDestination is required.");
  const matchingEventTypes = readStrings(definition, "MatchingEventTypes").map((type) => {
    const known = eventTypes.find((candidate) => candidate === type);
    if (known === undefined) throw badRequest(`Unknown event type <${type}>.`);
    return known;
  });
  if (matchingEventTypes.length === 0) throw badRequest("MatchingEventTypes must not be empty.");
  const sns = readObject(definition, "SnsDestination");
  if (sns === undefined) throw badRequest("The simulator supports SNS destinations only: SnsDestination is required.");
  const topicArn = requireString(sns, "TopicArn");
  requirePublishable(simulation, setName, topicArn);
  return { name, enabled: readBoolean(definition, "Enabled") ?? false, matchingEventTypes, topicArn };
}

/** SES could not publish any event to a topic whose policy does not allow it, so the destination is refused here. */
function requirePublishable(simulation: Simulation, setName: string, topicArn: string): void {
  const topic = simulation.topics.get(topicArn);
  if (topic === undefined) throw badRequest(`SNS topic <${topicArn}> not found.`);
  const { region, accountId } = simulation.settings;
  const allowed = policyAllows(topic.attributes.Policy, {
    service: "ses.amazonaws.com",
    action: "sns:Publish",
    sourceArn: `arn:aws:ses:${region}:${accountId}:configuration-set/${setName}`,
    sourceAccount: accountId,
  });
  if (!allowed)
    throw badRequest(`Could not publish to SNS topic <${topicArn}>: its policy does not allow ses.amazonaws.com.`);
}
