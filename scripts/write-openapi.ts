import { writeFileSync } from "node:fs";
import { apiDocument } from "../service/test/api-document.ts";

/** `npm run openapi`: writes the document that the drift test compares with. */
writeFileSync("service/openapi.json", `${JSON.stringify(await apiDocument(), null, 2)}\n`);
console.log("wrote service/openapi.json");
