import { readFileSync, writeFileSync } from "node:fs";
import { apiTypesText } from "./api-types-text.ts";

/** Part of `npm run openapi`: writes the types of the SDK from the API document. */
const document = readFileSync(new URL("../../service/openapi.json", import.meta.url), "utf8");
writeFileSync(new URL("../src/api-types.ts", import.meta.url), apiTypesText(JSON.parse(document)));
