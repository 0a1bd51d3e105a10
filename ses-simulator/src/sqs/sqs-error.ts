/** Old clients read the query protocol names of these errors, which SQS sends in a separate header. */
const queryNames = {
  QueueDoesNotExist: "AWS.SimpleQueueService.NonExistentQueue",
  QueueNameExists: "QueueAlreadyExists",
  ReceiptHandleIsInvalid: "ReceiptHandleIsInvalid",
  MessageNotInflight: "AWS.SimpleQueueService.MessageNotInflight",
  InvalidAttributeName: "InvalidAttributeName",
  InvalidAttributeValue: "InvalidAttributeValue",
  InvalidParameterValue: "InvalidParameterValue",
  EmptyBatchRequest: "AWS.SimpleQueueService.EmptyBatchRequest",
  TooManyEntriesInBatchRequest: "AWS.SimpleQueueService.TooManyEntriesInBatchRequest",
  BatchEntryIdsNotDistinct: "AWS.SimpleQueueService.BatchEntryIdsNotDistinct",
  OverLimit: "OverLimit",
  UnsupportedOperation: "AWS.SimpleQueueService.UnsupportedOperation",
} as const;

export type SqsErrorName = keyof typeof queryNames;

export class SqsError extends Error {
  override readonly name: SqsErrorName;
  readonly queryName: string;

  constructor(name: SqsErrorName, message: string) {
    super(message);
    this.name = name;
    this.queryName = queryNames[name];
  }
}
