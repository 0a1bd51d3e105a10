import { useLocation } from "@tanstack/react-router";
import { useEffect } from "react";
import runbook from "../../../../../docs/runbook.md?raw";
import { Panel } from "../../../parts/panel.tsx";
import { OperatorPage } from "../operator-page.tsx";
import { parseRunbook } from "./parse-runbook.ts";
import styles from "./runbook.module.css";
import { RunbookBlock } from "./runbook-block.tsx";

const [, ...blocks] = parseRunbook(runbook);

/** docs/runbook.md of the release that runs, so that a problem can link to its section. */
export function RunbookScreen() {
  const { hash } = useLocation();
  useEffect(() => {
    if (hash !== "") document.getElementById(hash)?.scrollIntoView({ block: "start" });
  }, [hash]);
  return (
    <OperatorPage title="Runbook" note="of this release">
      <Panel>
        <div className={styles.text}>
          {blocks.map((block, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the blocks never change their order
            <RunbookBlock key={index} block={block} isChosen={block.kind === "heading" && block.id === hash} />
          ))}
        </div>
      </Panel>
    </OperatorPage>
  );
}
