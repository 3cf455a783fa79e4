import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

const NEAR_PX = 80;

/** Keeps the end of what grows in view, unless the reader has scrolled up to read. */
export function useBottom(grows: unknown): {
  scroller: RefObject<HTMLElement | null>;
  isAway: boolean;
  goToEnd: () => void;
} {
  const scrollerRef = useRef<HTMLElement>(null);
  const nearRef = useRef(true);
  const [isAway, setAway] = useState(false);
  const goToEnd = () => {
    const box = scrollerRef.current;
    if (box) box.scrollTop = box.scrollHeight;
    nearRef.current = true;
    setAway(false);
  };
  useEffect(() => {
    const box = scrollerRef.current;
    if (!box) return undefined;
    const onScroll = () => {
      nearRef.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
      setAway(!nearRef.current);
    };
    box.addEventListener('scroll', onScroll, { passive: true });
    return () => box.removeEventListener('scroll', onScroll);
  }, []);
  useLayoutEffect(() => {
    if (nearRef.current) goToEnd();
  }, [grows]);
  return { scroller: scrollerRef, isAway, goToEnd };
}
