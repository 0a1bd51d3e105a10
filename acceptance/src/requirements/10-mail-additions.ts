import { decision, type RequirementTable } from "../requirement.ts";

/** Additions of this project to the published interface. A request that uses none of them behaves as before. */
export const mailAdditions: RequirementTable = {
  "10.1-01": decision("A send accepts headers that the caller may set, and its content returns them"),
  "10.1-02": decision("Headers that Postern or SES sets are 422, in any case of letters"),
  "10.1-03": decision("A header with a line break, or a value above 870 characters, is 422"),
  "10.1-04": decision("The record of a send has its tags and its metadata"),
  "10.1-05": decision("The timeline and the events of a send have its tags and its metadata"),
  "10.1-06": decision("A list of sends by tag has the sends with this tag and no others"),
  "10.1-07": decision("More than 10 tags, and tags with other characters, are 422"),
  "10.1-08": decision("Metadata above 4,096 bytes is 422"),
  "10.1-09": decision(
    "The same key with other headers, tags or metadata is 409; another order of their keys is a repeat",
  ),
  "10.1-10": decision("A send without headers, tags and metadata has none of them in its answers"),
  "10.1-11": decision("Usage by tag counts a send for each of its tags, and no send without them"),
  "10.1-12": decision("Tags are counted per day: usage by tag and hour is 422"),
  "10.1-13": decision("15 headers are accepted, and more are 422"),
  "10.1-14": decision("A header value with characters that are not printable ASCII is 422"),
  "10.1-15": decision("The notifications of a send have its tags and its metadata"),
};
