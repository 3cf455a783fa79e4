import { useEffect, useRef, useState } from 'react';
import { useDebounced } from './use-debounced.ts';

const WAIT_MS = 300;

/**
 * Words that one types and that the address holds. Typing shows at once; the address follows when typing rests; a
 * change of the address from elsewhere (Back, a cleared filter) shows too.
 */
export function useSearchWords(inAddress: string | undefined, commit: (words: string | undefined) => void) {
  const address = inAddress ?? '';
  const [words, setWords] = useState(address);
  const still = useDebounced(words, WAIT_MS);
  const committed = useRef(address);
  const latest = useRef(commit);
  latest.current = commit;
  useEffect(() => {
    if (address === committed.current) return;
    committed.current = address;
    setWords(address);
  }, [address]);
  useEffect(() => {
    const trimmed = still.trim();
    if (trimmed === committed.current) return;
    committed.current = trimmed;
    latest.current(trimmed === '' ? undefined : trimmed);
  }, [still]);
  return [words, setWords] as const;
}
