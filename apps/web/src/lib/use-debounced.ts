import { useEffect, useState } from 'react';

/** The value once it has been still for a while; for requests that follow typing. */
export function useDebounced<T>(value: T, wait_ms = 250): T {
  const [still, setStill] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setStill(value), wait_ms);
    return () => clearTimeout(timer);
  }, [value, wait_ms]);
  return still;
}
