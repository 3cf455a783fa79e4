import { create } from 'zustand';
import { persist } from 'zustand/middleware';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const DENSITIES = ['compact', 'comfortable'] as const;
export type Density = (typeof DENSITIES)[number];

export const LOCALES = ['en', 'de'] as const;
export type Locale = (typeof LOCALES)[number];

export interface Preferences {
  theme: Theme;
  density: Density;
  /** Unset: the browser's language when we have it, else English. */
  locale: Locale | undefined;
  sidebarCollapsed: boolean;
  workflowView: 'cards' | 'list';
  /** Ids of pinned workflows, newest pin first. Pins belong to this browser. */
  pinned: readonly string[];
}

interface PreferencesStore extends Preferences {
  change: (part: Partial<Preferences>) => void;
}

/** Choices about looks that stay in this browser. `public/theme.js` reads the same key before the first paint. */
export const usePreferences = create<PreferencesStore>()(
  persist(
    (set) => ({
      theme: 'system',
      density: 'compact',
      locale: undefined,
      sidebarCollapsed: false,
      workflowView: 'cards',
      pinned: [],
      change: (part) => set(part),
    }),
    { name: 'millrace.preferences', version: 1 },
  ),
);

/** The locale to use: the chosen one, else the first of the browser's languages that we have. */
export function localeFor(chosen: Locale | undefined, languages: readonly string[]): Locale {
  if (chosen) return chosen;
  for (const language of languages) {
    const base = language.toLowerCase().split('-')[0];
    const known = LOCALES.find((locale) => locale === base);
    if (known) return known;
  }
  return 'en';
}
