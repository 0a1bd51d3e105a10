import type { SesSimulator } from "./ses-simulator.ts";

/** The addresses, the environment variables to set, and a command that sends a first mail. */
export function startUpText(simulator: SesSimulator): string {
  const { url, region, dataFolder, dnsAddress } = simulator;
  return `SES simulator: SES v2, SNS and SQS on one address

  Mail view     ${url}/
  Control       ${url}/_simulator/health
  Ledger        ${url}/_simulator/ledger.ndjson
  Data folder   ${dataFolder}

Point Postern or any AWS SDK at it:

  export POSTERN_PROVIDER=simulator
  export AWS_REGION=${region}
  export AWS_ENDPOINT_URL_SESV2=${url}
  export AWS_ENDPOINT_URL_SNS=${url}
  export AWS_ENDPOINT_URL_SQS=${url}
  export AWS_ACCESS_KEY_ID=simulator
  export AWS_SECRET_ACCESS_KEY=simulator${dnsAddress === undefined ? "" : `\n  export DNS_SERVERS=${dnsAddress}`}

Send a first mail and see it in the mail view:

${firstMail(url, region, simulator.verifiedSender)}

`;
}

/** curl can sign requests for AWS, so the AWS command line is not needed. */
function firstMail(url: string, region: string, sender: string): string {
  const mail = {
    FromEmailAddress: `Simulator <${sender}>`,
    Destination: { ToAddresses: ["success@simulator.amazonses.com"] },
    Content: { Simple: { Subject: { Data: "Hello" }, Body: { Text: { Data: "My first mail." } } } },
  };
  return `  curl -sS '${url}/v2/email/outbound-emails' \\
    --aws-sigv4 'aws:amz:${region}:ses' --user 'simulator:simulator' \\
    -H 'content-type: application/json' \\
    -d '${JSON.stringify(mail)}'`;
}
