import { decision, type RequirementTable } from "../requirement.ts";

/** Section 10.7: who may read what was sent. */
export const contentAdditions: RequirementTable = {
  "10.7-01": decision("GET /send/:id/content returns sender, recipients, subject and bodies as the request had them"),
  "10.7-02": decision("A viewer who reads the content of a send gets 403, although the viewer may read its record"),
  "10.7-03": decision("A key reads the content of a send only with the scope read, otherwise it gets 401"),
  "10.7-04": decision("Each read of the content is in the audit, with who read it; a refused one is not"),
  "10.7-05": decision("The content of a send of another account is 404"),
};
