import { Link } from "@tanstack/react-router";
import classes from "./message-page.module.css";

export function NotFound() {
  return (
    <main className={classes.page}>
      <h1>This page does not exist</h1>
      <p>Check the address, or go to the overview.</p>
      <p>
        <Link to="/">Overview</Link>
      </p>
    </main>
  );
}
