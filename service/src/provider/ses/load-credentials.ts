interface HasCredentials {
  config: { credentials: () => Promise<unknown> };
}

/** A role or a credential process answers within a second or two. */
const timeoutMs = 10_000;

/**
 * Loads the credentials of a client, under a deadline. The SDK sets none: a credential process that hangs would block the caller
 * forever. The load continues in the background; credential-source.ts decides when another one starts.
 */
export async function loadCredentials(client: HasCredentials, withinMs = timeoutMs): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new CredentialsTimeout()), withinMs);
  });
  try {
    await Promise.race([client.config.credentials(), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

class CredentialsTimeout extends Error {
  override readonly name = "CredentialsTimeout";
  override readonly message = "The source of the AWS credentials did not answer in time.";
}
