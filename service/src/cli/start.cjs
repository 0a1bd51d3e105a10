#!/usr/bin/env node
// The command `postern`. It is plain JavaScript, so that an old Node explains what is wrong instead of failing at TypeScript.
const { engines } = require("../../package.json");

const needed = engines.node.replace(">=", "");

if (isOlder(process.versions.node, needed)) {
  process.stderr.write(
    `Postern needs Node ${needed} or newer. This is Node ${process.versions.node} (${process.execPath}).\n\n` +
      "Install Node 24 for this terminal, then repeat your command:\n\n" +
      '  npm install --prefix ~/.node24 node@24 && export PATH="$HOME/.node24/node_modules/.bin:$PATH"\n\n' +
      "Or use a version manager, such as `nvm install 24`.\n",
  );
  process.exitCode = 1;
} else {
  import("./postern.ts").catch((error) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND" || !error.message.startsWith("Cannot find package")) throw error;
    process.stderr.write(`${error.message.split("' ")[0]}'. Install the packages first: npm ci\n`);
    process.exitCode = 1;
  });
}

/** @param {string} version @param {string} least */
function isOlder(version, least) {
  const [major, minor] = version.split(".").map(Number);
  const [leastMajor, leastMinor = 0] = least.split(".").map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}
