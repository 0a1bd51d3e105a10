/** Hosts that a server must not be talked into asking, in the spellings that got past others. */
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

/** The allowed host, bent. */
function bent(host: string): string[] {
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

/** Addresses for SigningCertURL and SubscribeURL; none of them may be fetched. Those with `decoy` could really be. */
export function hostileUrls(allowedHost: string, path: string, decoy: string): string[] {
  const every = [...hosts, ...bent(allowedHost), new URL(decoy).host];
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
    ...schemes.flatMap((scheme) => every.map((host) => `${scheme}${host}${path}`)),
    ...wrongPaths.map((wrong) => `https://${allowedHost}${wrong}`),
    `${decoy}${path}`,
    `${decoy}/?Action=ConfirmSubscription&Token=x`,
    "data:application/x-pem-file,x",
    "javascript:alert(1)",
    "",
  ].filter((url) => url !== `https://${allowedHost}${path}`);
}
