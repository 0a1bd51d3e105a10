import { decision, type RequirementTable } from "../requirement.ts";

/** Section 10.5: files of a mail. */
export const attachmentAdditions: RequirementTable = {
  "10.5-01": decision("A send accepts attachments, and its content lists them in order with name, type, size and hash"),
  "10.5-02": decision("An attachment can be downloaded byte for byte, as a file that no browser shows"),
  "10.5-03": decision("The provider receives each attachment byte for byte, with its name, type and content id"),
  "10.5-04": decision(
    "A name that is empty, too long or a path, has invisible characters or has a type that SES refuses is 422",
  ),
  "10.5-05": decision("Content that is not standard base64, padded and on one line, is 422"),
  "10.5-06": decision("A content_type that is no media type, too long, multipart/ or message/ is 422"),
  "10.5-07": decision("A content_id that is too long, has other characters or is there twice is 422"),
  "10.5-08": decision("More than 50 attachments are 422"),
  "10.5-09": decision("Attachments above 10 MiB together, decoded, are 422"),
  "10.5-10": decision("A 422 names every problem of every attachment"),
  "10.5-11": decision("The same key with other bytes, names, types, ids or another order is 409"),
  "10.5-12": decision("An empty list of attachments equals none, and the content then has no list"),
  "10.5-13": decision("An unknown attachment, and one of another account, is 404; without a credential it is 401"),
  "10.5-14": decision("A 422 for attachments that are too large together names the problems of other fields too"),
};
