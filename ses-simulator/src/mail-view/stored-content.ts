/** The stored `Content` of a SendEmail request. The simulator has validated it. */
export interface StoredContent {
  Simple?: SimpleContent;
  Raw?: { Data: string };
}

export interface SimpleContent {
  Subject?: TextContent;
  Body?: { Text?: TextContent; Html?: TextContent };
  Attachments?: { FileName: string; ContentType?: string; RawContent: string }[];
}

interface TextContent {
  Data: string;
  Charset?: string;
}

/** The text that the recipient sees. Without a charset, SES reads it as 7-bit ASCII and loses other characters. */
export function decodeText({ Data, Charset }: TextContent): string {
  return Charset === undefined ? Data.replace(/[^\0-\x7f]/gu, "?") : Data;
}
