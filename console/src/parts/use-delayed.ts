import { useEffect, useState } from "react";

/** True once the given time has passed: an answer within 150 ms shows no skeleton at all. */
export function useDelayed(ms = 150): boolean {
  const [hasPassed, setPassed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setPassed(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return hasPassed;
}
