import { decision, type RequirementTable } from "../requirement.ts";

/** Section 10.8: sends and events as files. 10.4-07 is the export of suppressions. */
export const exportAdditions: RequirementTable = {
  "10.8-01": decision("An export of sends has the records that its filter matches, newest first, one a line of NDJSON"),
  "10.8-02": decision("In the CSV of sends, an apostrophe precedes text that a spreadsheet would run as a formula"),
  "10.8-03": decision("An export of events has the events that its filter matches, one a line of NDJSON"),
  "10.8-04": decision("In the CSV of events, an apostrophe precedes text that a spreadsheet would run as a formula"),
  "10.8-05": decision("`before` with the id of a line continues an export of sends or events after that line"),
  "10.8-06": decision("An export needs the scope read (401), and another format than csv and ndjson is 422"),
};
