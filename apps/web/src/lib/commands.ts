import type { ReactNode } from 'react';
import { useId, useLayoutEffect } from 'react';
import { create } from 'zustand';

export interface Command {
  /** Unique over the whole app: `workflows.new`. */
  id: string;
  title: string;
  icon?: ReactNode;
  /** tinykeys notation: `$mod+k`, `g r`, `Shift+?`, `Shift+Digit1`. */
  keys?: string;
  /** Where the shortcut list shows it; `page` by default. */
  scope?: 'everywhere' | 'go' | 'page';
  /** Further words that find it in the palette. */
  words?: string;
  /** Not in the palette, for keys whose action makes no sense there. */
  keysOnly?: boolean;
  /** A key that is held runs it again and again: for steps through a list. All others run once. */
  repeats?: boolean;
  run: () => void;
}

export interface CommandStore {
  sources: ReadonlyMap<string, readonly Command[]>;
}

export const useCommandStore = create<CommandStore>()(() => ({ sources: new Map() }));

/** All commands that exist on the page at the moment. */
export function allCommands(sources: CommandStore['sources']): Command[] {
  return [...sources.values()].flat();
}

/**
 * Offers commands while the component is on screen: in the palette, in the shortcut list and, with `keys`, by key.
 * Keep the list stable with `useMemo`. A layout effect, so that a page that is on screen has its keys.
 */
export function useCommands(commands: readonly Command[]): void {
  const source = useId();
  useLayoutEffect(() => {
    useCommandStore.setState(({ sources }) => ({ sources: new Map(sources).set(source, commands) }));
    return () =>
      useCommandStore.setState(({ sources }) => {
        const rest = new Map(sources);
        rest.delete(source);
        return { sources: rest };
      });
  }, [source, commands]);
}
