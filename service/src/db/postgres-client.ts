import pg from "pg";
import { needsPrimary, parameterOf, urlOfEachHost, withParameters } from "../postgres-url.ts";
import { createHostChooser } from "./choose-host.ts";

/** `pg` reads the files that these name for every connection, and a file that is missing by then would end the process. */
const tlsParameters = ["ssl", "sslmode", "sslcert", "sslkey", "sslrootcert", "sslnegotiation"];

interface Target {
  options: pg.ClientConfig;
  /** Undefined if the URL leads to one server, whatever its state. */
  chooseHost: (() => Promise<{ host: string; port: number }>) | undefined;
}

/**
 * Makes the class of all connections to one URL: those of a pool, or a single one. Beyond `pg` it
 * 1. finds the primary among the hosts of the URL, again for every new connection, so that it follows a failover,
 * 2. reads the files of TLS once.
 */
export function postgresClient(): typeof pg.Client {
  let target: Target | undefined;

  function targetOf(config: string | pg.ClientConfig | undefined): Target {
    const url = typeof config === "string" ? config : config?.connectionString;
    if (url === undefined) throw new Error("a connection needs the URL of its server");
    target ??= readTarget(url);
    return target;
  }

  return class extends pg.Client {
    readonly #chooseHost: Target["chooseHost"];

    constructor(config?: string | pg.ClientConfig) {
      const { options, chooseHost } = targetOf(config);
      super({ ...(typeof config === "string" ? {} : config), ...options });
      this.#chooseHost = chooseHost;
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      if (callback === undefined) {
        return new Promise((resolve, reject) => {
          this.connect((error: Error) => (error ? reject(error) : resolve(this)));
        });
      }
      if (this.#chooseHost === undefined) super.connect(callback);
      else this.#chooseHost().then((server) => this.#connectTo(server, callback), callback);
      return undefined;
    }

    #connectTo(server: { host: string; port: number }, callback: (error: Error) => void): void {
      // Closed while the search ran. A private field of `pg`; a test fails when `pg` renames it.
      if (Reflect.get(this, "_ending") === true) callback(new Error("Connection terminated"));
      else super.connect.call(Object.assign(this, server), callback);
    }
  };
}

function readTarget(url: string): Target {
  const withoutTls = Object.fromEntries(tlsParameters.map((name) => [name, undefined]));
  const options = urlOfEachHost(url).map((connectionString) => {
    if (tlsParameters.every((name) => parameterOf(url, name) === undefined)) return { connectionString };
    const { ssl, sslnegotiation } = Reflect.get(new pg.Client({ connectionString }), "connectionParameters");
    return { connectionString: withParameters(connectionString, withoutTls), ssl, sslnegotiation };
  });
  const [first = {}] = options;
  return { options: first, chooseHost: needsPrimary(url) ? createHostChooser(options) : undefined };
}
