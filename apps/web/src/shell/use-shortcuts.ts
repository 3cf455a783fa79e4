import { useEffect } from 'react';
import { tinykeys } from 'tinykeys';
import { isTyping } from '../lib/typing.ts';
import { allCommands, useCommandStore } from './commands.ts';

const hasModifier = (keys: string): boolean => /\$mod|Control|Meta|Alt/.test(keys);

/** Binds the keys of all commands on the page. Plain keys rest while a field or a dialog has the focus. */
export function useShortcuts(): void {
  const sources = useCommandStore((state) => state.sources);
  useEffect(() => {
    const bindings: Record<string, (event: KeyboardEvent) => void> = {};
    for (const command of allCommands(sources)) {
      if (!command.keys) continue;
      const keys = command.keys;
      bindings[keys] = (event) => {
        if (!hasModifier(keys) && isTyping(event.target)) return;
        const inDialog =
          event.target instanceof Element && event.target.closest('[role="dialog"], [role="menu"]');
        if (inDialog && !hasModifier(keys)) return;
        event.preventDefault();
        command.run();
      };
    }
    return tinykeys(window, bindings);
  }, [sources]);
}
