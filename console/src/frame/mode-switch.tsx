import { useSearchState } from "./search-state.ts";
import classes from "./sidebar.module.css";

/** Live and test mail never mix: the mode is in the address of every page. */
export function ModeSwitch() {
  const [{ mode }, change] = useSearchState();
  const current = mode === "test" ? "test" : "live";
  return (
    <fieldset className={classes.modes}>
      <legend className={classes.hidden}>Mode</legend>
      {(["live", "test"] as const).map((name) => (
        <label key={name} className={classes.mode} data-checked={current === name || undefined}>
          <input
            type="radio"
            name="mode"
            value={name}
            checked={current === name}
            onChange={() => change({ mode: name === "test" ? "test" : undefined })}
          />
          {name === "live" ? "Live" : "Test"}
        </label>
      ))}
    </fieldset>
  );
}
