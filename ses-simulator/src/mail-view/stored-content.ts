/** `Content` of a SendEmail request, validated before it was stored. */
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

/** Without a charset SES takes text for 7-bit ASCII; the mail a recipient sees has lost the rest. */
export function asSent({ Data, Charset }: TextContent): string {
  return Charset === undefined ? Data.replace(/[^\0-\x7f]/gu, "?") : Data;
}
