import { z } from "zod";
import { secretKeys } from "./config.ts";
import { environmentSchema } from "./environment-schema.ts";
import { type SettingDetails, type SettingKey, settingDetails } from "./setting-details.ts";

export type { SettingGroup } from "./setting-details.ts";

export interface Setting extends SettingDetails {
  name: SettingKey;
  description: string;
  isRequired: boolean;
  isSecret: boolean;
  default: string | undefined;
  /** The allowed words, if the setting has a closed list. */
  words: string[];
  range: { min: number; max: number } | undefined;
}

/** Every setting with all that is known about it, in the order of the schema. */
export function listSettings(): Setting[] {
  const { properties = {}, required = [] } = z.toJSONSchema(environmentSchema, { io: "input", unrepresentable: "any" });
  // `Object.keys` returns string[], although these keys are exactly those of the type.
  return (Object.keys(environmentSchema.shape) as SettingKey[]).map((name) => {
    const schema = properties[name];
    if (typeof schema !== "object" || schema.description === undefined) throw new Error(`${name} has no description`);
    const { minimum: min, maximum: max, default: standard } = schema;
    return {
      ...settingDetails[name],
      name,
      description: schema.description,
      isRequired: required.includes(name),
      isSecret: secretKeys.some((key) => key === name),
      default: typeof standard === "string" || typeof standard === "number" ? `${standard}` : undefined,
      words: schema.enum?.map(String) ?? [],
      range: min === undefined || max === undefined ? undefined : { min, max },
    };
  });
}
