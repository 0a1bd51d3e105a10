/** Hosts that the service must never contact, in spellings that have bypassed other filters. */
const hosts = [
  "169.254.169.254",
  "[fd00:ec2::254]",
  "2852039166",
  "0xa9fea9fe",
  "0251.0376.0251.0376",
  "169.254.43518",
  "[::ffff:169.254.169.254]",
  "169.254.169.254.nip.io",
  "metadata.google.internal",
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "0.0.0.0",
  "0",
  "2130706433",
  "0x7f000001",
  "017700000001",
  "[::1]",
  "[::]",
  "[0:0:0:0:0:ffff:7f00:1]",
  "localhost",
  "localhost.",
  "localtest.me",
  "１２７.０.０.１",
  "①②⑦.0.0.1",
  "10.0.0.1",
  "192.168.0.1",
  "sns.s3-us-west-2.amazonaws.com",
  "sns.s3-website-us-east-1.amazonaws.com",
  "sns.s3.amazonaws.com",
  "evil.test",
];

/** Variations of the allowed host that are different hosts, or not the exact host. */
function hostVariations(host: string): string[] {
  return [
    `${host}.`,
    `${host}.evil.test`,
    `${host}%00.evil.test`,
    `${host}@evil.test`,
    `evil.test@${host}`,
    `user:pass@${host}`,
    `${host}:443`,
    `${host}:80`,
    `${host}:8443`,
    `${host}\\@evil.test`,
    `${host}#@evil.test`,
    `${host}?@evil.test`,
    `${host}%2eevil.test`,
    host.toUpperCase(),
    host.replaceAll(".", "。"),
    host.replaceAll(".", "．"),
    host.replaceAll(".", "｡"),
    host.replace("sns", "ѕns"),
    host.replace("sns", "s\u00adns"),
    host.replace("amazonaws", "amazonaws\u200b"),
    ` ${host}`,
    `\t${host}`,
    `${host}\n`,
    `x.${host}`,
    host.replace(/^sns\.[^.]+\./, "sns.us-east-1."),
    host.replace(/^sns\.[^.]+\./, "sns."),
    `${host}.cn`,
  ];
}

const schemes = ["https://", "http://", "HTTPS://", "//", "https:", "https:\\\\", "ftp://", "file://", "gopher://"];

/** URLs for SigningCertURL and SubscribeURL that the service must never fetch. Only those with `decoy` point to a real server. */
export function hostileUrls(allowedHost: string, path: string, decoy: string): string[] {
  const allHosts = [...hosts, ...hostVariations(allowedHost), new URL(decoy).host];
  const wrongPaths = [
    "/",
    "/latest/meta-data/",
    `${path}?x=1`,
    `${path}#x`,
    `/x${path}`,
    `/..${path}`,
    `//evil.test${path}`,
    path.replace(".pem", ".pem/../../evil.pem"),
    path.replace(".pem", ".txt"),
    path.replace(/[0-9a-f]{32}/, "x".repeat(32)),
    path.toUpperCase(),
  ];
  return [
    ...schemes.flatMap((scheme) => allHosts.map((host) => `${scheme}${host}${path}`)),
    ...wrongPaths.map((wrong) => `https://${allowedHost}${wrong}`),
    `${decoy}${path}`,
    `${decoy}/?Action=ConfirmSubscription&Token=x`,
    "data:application/x-pem-file,x",
    "javascript:alert(1)",
    "",
  ].filter((url) => url !== `https://${allowedHost}${path}`);
}
