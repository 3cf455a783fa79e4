import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

const NEAR_PX = 80;

/** Keeps the end of what grows in view, unless the reader has scrolled up to read. */
export function useBottom(grows: unknown): {
  scroller: RefObject<HTMLElement | null>;
  isAway: boolean;
  goToEnd: () => void;
} {
  const scroller = useRef<HTMLElement>(null);
  const isNear = useRef(true);
  const [isAway, setAway] = useState(false);
  const goToEnd = () => {
    const box = scroller.current;
    if (box) box.scrollTop = box.scrollHeight;
    isNear.current = true;
    setAway(false);
  };
  useEffect(() => {
    const box = scroller.current;
    if (!box) return undefined;
    const onScroll = () => {
      isNear.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
      setAway(!isNear.current);
    };
    box.addEventListener('scroll', onScroll, { passive: true });
    return () => box.removeEventListener('scroll', onScroll);
  }, []);
  useLayoutEffect(() => {
    if (isNear.current) goToEnd();
  }, [grows]);
  return { scroller, isAway, goToEnd };
}
