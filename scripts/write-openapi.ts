import { writeFileSync } from "node:fs";
import { apiDocument } from "../service/test/api-document.ts";

/** `npm run openapi` writes the API document. A test fails when the document does not match the code. */
writeFileSync("service/openapi.json", `${JSON.stringify(await apiDocument(), null, 2)}\n`);
console.log("wrote service/openapi.json");
