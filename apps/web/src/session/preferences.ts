import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import type { Locale } from '../lib/locale.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const DENSITIES = ['compact', 'comfortable'] as const;
export type Density = (typeof DENSITIES)[number];

export interface Preferences {
  theme: Theme;
  density: Density;
  /** Unset: the browser's language when we have it, else English. */
  locale: Locale | undefined;
  sidebarCollapsed: boolean;
  /** The list of node types beside the canvas is folded away. */
  paletteCollapsed: boolean;
  workflowView: 'cards' | 'list';
  /** Widths of the panes of a node in percent, by pane. */
  detailPanes: Readonly<Record<string, number>>;
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
      paletteCollapsed: false,
      workflowView: 'cards',
      detailPanes: {},
      change: (part) => set(part),
    }),
    { name: 'millrace.preferences', version: 1 },
  ),
);
