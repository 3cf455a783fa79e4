import { useEffect } from 'react';
import { type Theme, usePreferences } from './preferences.ts';

const DARK = '(prefers-color-scheme: dark)';

function resolve(theme: Theme): 'light' | 'dark' {
  if (theme !== 'system') return theme;
  return matchMedia(DARK).matches ? 'dark' : 'light';
}

/** Keeps the page's theme and density attributes in step with the preferences and the system. */
export function useAppearance(): void {
  const theme = usePreferences((state) => state.theme);
  const density = usePreferences((state) => state.density);
  useEffect(() => {
    const apply = () => {
      document.documentElement.dataset['theme'] = resolve(theme);
    };
    apply();
    const system = matchMedia(DARK);
    system.addEventListener('change', apply);
    return () => system.removeEventListener('change', apply);
  }, [theme]);
  useEffect(() => {
    document.documentElement.dataset['density'] = density;
  }, [density]);
}
