import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

const SETTLE_MS = 250;

/** Announces the new page to screen readers; without it a change of page is silent. */
export function Announcer() {
  const { pathname } = useLocation();
  const [title, setTitle] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setTitle(document.title), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [pathname]);
  return (
    <p className="sr-only" aria-live="polite">
      {title}
    </p>
  );
}
