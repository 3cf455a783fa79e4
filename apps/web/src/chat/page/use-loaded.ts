import { useEffect, useState } from 'preact/hooks';

interface Loaded<T> {
  readonly value?: T;
  readonly error?: unknown;
  readonly reload: () => void;
}

/** Loads once, and again when it is asked to; `first` was asked for before the page was drawn. */
export function useLoaded<T>(load: () => Promise<T>, first?: Promise<T>): Loaded<T> {
  const [asked, setAsked] = useState(() => first ?? load());
  const [state, setState] = useState<Pick<Loaded<T>, 'value' | 'error'>>({});
  useEffect(() => {
    let isCurrent = true;
    setState({});
    asked.then(
      (value) => isCurrent && setState({ value }),
      (error: unknown) => isCurrent && setState({ error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [asked]);
  return { ...state, reload: () => setAsked(load()) };
}
