import { useEffect } from 'react';

/** Names the browser's tab after the page. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? `${title} · Millrace` : 'Millrace';
  }, [title]);
}
