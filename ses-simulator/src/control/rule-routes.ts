import { readRule } from "../faults/read-rule.ts";
import { type Call, json, type Reply } from "../http/call.ts";
import { ControlError, parseJsonObject } from "../http/control-error.ts";
import type { Simulation } from "../simulation.ts";

export function listRulesRoute(simulation: Simulation): Reply {
  return json(200, { rules: simulation.rules.list() });
}

export function addRuleRoute(simulation: Simulation, call: Call): Reply {
  const rule = readRule(parseJsonObject(call));
  simulation.rules.add(rule);
  return json(201, rule);
}

export function removeRuleRoute(simulation: Simulation, _call: Call, id: string): Reply {
  if (!simulation.rules.remove(id)) throw new ControlError(404, `Rule ${id} does not exist.`);
  return json(200, { removed: id });
}

export function clearRulesRoute(simulation: Simulation): Reply {
  simulation.rules.clear();
  return json(200, { rules: [] });
}
