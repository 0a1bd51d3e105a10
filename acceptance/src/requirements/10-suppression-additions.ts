import { decision, type RequirementTable } from "../requirement.ts";

/** Section 10.4: what Postern adds to the interface for suppressions, in and out. */
export const suppressionAdditions: RequirementTable = {
  "10.4-01": decision("POST /suppression answers 201 with an entry that has the reason manual and the note"),
  "10.4-02": decision("POST /suppression for a suppressed address answers 200 and leaves its entry as it is"),
  "10.4-03": decision("A send does not go to an address that was added by hand"),
  "10.4-04": decision("`reason` in the query lists the entries with this reason, and no others"),
  "10.4-05": decision("POST /suppression/import counts new, known and invalid entries and changes nothing by default"),
  "10.4-06": decision("An import adds what is new, never weakens a complaint, and changes nothing when repeated"),
  "10.4-07": decision("An export has the entries of the list, one a line, as NDJSON or CSV"),
  "10.4-08": decision(
    "GET /suppression/:email has the entry of an address; an address without entry and removal is 404",
  ),
  "10.4-09": decision(
    "Removing an entry that was added by hand ends it in both modes, without the provider, and GET says who removed it",
  ),
  "10.4-10": decision("Adding an address with another reason than manual, or a note above 500 characters, is 422"),
  "10.4-11": decision("Adding an address needs the scope suppressions (401) or the role developer (403)"),
};
