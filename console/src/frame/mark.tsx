import classes from "./shell.module.css";

export function Mark() {
  return (
    <span className={classes.mark}>
      <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
        <path d="M4 13a12 12 0 0 1 24 0v12a3 3 0 0 1-3 3H7a3 3 0 0 1-3-3z" fill="var(--mark)" />
        <path d="M4 14l12 8 12-8" fill="none" stroke="var(--mark-line)" strokeWidth="2.6" strokeLinejoin="round" />
      </svg>
      Postern
    </span>
  );
}
