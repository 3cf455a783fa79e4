import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

const SETTLE_MS = 250;
/** Pages that are loaded first set their title late. A change after this says nothing about another page. */
const LATEST_MS = 5_000;

/** Announces the new page to screen readers; without it a change of page is silent. */
export function Announcer() {
  const { pathname } = useLocation();
  const [title, setTitle] = useState('');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const announce = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setTitle(document.title), SETTLE_MS);
    };
    announce();
    const observer = new MutationObserver(announce);
    observer.observe(document.head, { subtree: true, childList: true, characterData: true });
    const end = setTimeout(() => observer.disconnect(), LATEST_MS);
    return () => {
      clearTimeout(timer);
      clearTimeout(end);
      observer.disconnect();
    };
  }, [pathname]);
  return (
    <p className="sr-only" aria-live="polite">
      {title}
    </p>
  );
}
