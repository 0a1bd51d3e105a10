import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { programsOf } from "../../../sdk/test/readme-programs.ts";
import { root } from "../../test/printed-commands.ts";
import { aConfig } from "../../test/test-config.ts";
import { type Example, type ExampleContext, requireThat } from "./example.ts";

/** docs/install.md up to its first mail, and the quick start, start servers of their own: the proof first-hour runs them. */
const walkedByFirstHour = /git clone|npx postern serve|localhost:3000\/api\/v1\/(?:sends|auth|domains)|\.postern\/env/;

const read = (file: string) => readFileSync(join(root, file), "utf8");

/** Every TypeScript program, curl command and JSON error of the README, the SDK and docs/. */
export function documentExamples(): Example[] {
  const documents = ["README.md", ...globSync("docs/**/*.md", { cwd: root }).toSorted()];
  return [
    ...documents.flatMap((file) => programsOf(read(file)).map((program) => ({ file, program }))).map(readmeProgram),
    ...programsOf(read("sdk/README.md"))
      .map((program) => ({ file: "sdk/README.md", program }))
      .map(sdkProgram),
    ...documents.flatMap((file) => blocksOf(read(file)).map((block) => ({ file, ...block }))).flatMap(curlExample),
    ...documents.flatMap((file) => blocksOf(read(file)).map((block) => ({ file, ...block }))).flatMap(errorExample),
    ...documents.flatMap((file) => blocksOf(read(file)).map((block) => ({ file, ...block }))).flatMap(mailExample),
    ...documents.flatMap((file) => blocksOf(read(file)).map((block) => ({ file, ...block }))).flatMap(mappingExample),
  ];
}

type Named = { file: string; program: ReturnType<typeof programsOf>[number] };

/** With the test key, as a reader has it after `. .postern/env`. */
function readmeProgram({ file, program }: Named): Example {
  return {
    name: `${file}, ${program.name}`,
    run: (context) => runProgram(context, program, context.environment),
  };
}

/** The output in the README of the SDK is that of a live key. */
function sdkProgram({ file, program }: Named): Example {
  return {
    name: `${file}, ${program.name}`,
    run: (context) => {
      const { POSTERN_LIVE_KEY: key = "" } = context.environment;
      return runProgram(context, program, { ...context.environment, POSTERN_API_KEY: key });
    },
  };
}

async function runProgram(
  { project }: ExampleContext,
  { text, prints }: Named["program"],
  env: Record<string, string>,
): Promise<void> {
  project.write("example.ts", text);
  const output = await project.run("example.ts", { env });
  const lines = output.trim().split("\n");
  for (const expected of prints)
    requireThat(
      lines.some((line) => expected.test(line)),
      `no line matches ${expected}:\n${output}`,
    );
}

interface Block {
  language: string;
  text: string;
}

function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/```([a-z]+)\n([\s\S]*?)```/g)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
}

/** The API accepts the mail of every curl command. */
function curlExample({ file, language, text }: Block & { file: string }): Example[] {
  if (!["bash", "console", "sh"].includes(language) || !/^curl /m.test(text) || walkedByFirstHour.test(text)) return [];
  return [
    {
      name: `${file}, curl`,
      async run({ terminal, environment }) {
        const { POSTERN_URL: url = "", POSTERN_LIVE_KEY: key = "" } = environment;
        const script = text.replaceAll("http://localhost:3000", url);
        const output = await terminal.run(`KEY='${key}'\n${script}`);
        requireThat(JSON.parse(output).status === "queued", `printed ${output}`);
      },
    },
  ];
}

/** A list is the value of OIDC_MAPPING: the service starts with it and has every rule. */
function mappingExample({ file, language, text }: Block & { file: string }): Example[] {
  if (language !== "json" || !text.startsWith("[")) return [];
  return [
    {
      name: `${file}, OIDC_MAPPING`,
      async run() {
        const issuer = { OIDC_ISSUER: "https://issuer.example", OIDC_CLIENT_ID: "postern", OIDC_CLIENT_SECRET: "x" };
        const { oidc } = aConfig({ ...issuer, PUBLIC_URL: "https://mail.example", OIDC_MAPPING: text });
        requireThat(isDeepStrictEqual(oidc?.rules, JSON.parse(text)), `is read as ${JSON.stringify(oidc?.rules)}`);
      },
    },
  ];
}

/** A printed mail is accepted. */
function mailExample({ file, language, text }: Block & { file: string }): Example[] {
  if (language !== "json" || !text.includes('"from":')) return [];
  return [
    {
      name: `${file}, JSON`,
      async run({ call }) {
        const { status, body } = await call("POST", "/api/v1/send", JSON.parse(text));
        requireThat(status === 202, `answered ${JSON.stringify(body)}`);
      },
    },
  ];
}

/** A request with the mistake that a printed error body describes gets that error. */
function errorExample({ file, language, text }: Block & { file: string }): Example[] {
  if (language !== "json" || !text.includes('"error"')) return [];
  return [
    {
      name: `${file}, JSON`,
      async run({ call }) {
        const printed = JSON.parse(text);
        const answer = await call("POST", "/api/v1/send", {
          from: "a@sandbox.test",
          to: ["b@sandbox.test"],
          text: "x",
        });
        const comparable = (body: unknown) =>
          JSON.stringify(body, (name, value) => (["request_id", "doc_url"].includes(name) ? "" : value));
        requireThat(comparable(answer.body) === comparable(printed), `answered ${JSON.stringify(answer.body)}`);
      },
    },
  ];
}
