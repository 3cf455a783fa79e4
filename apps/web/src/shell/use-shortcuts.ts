import { useEffect } from 'react';
import { tinykeys } from 'tinykeys';
import { isTyping } from '../lib/typing.ts';
import { allCommands, useCommandStore } from './commands.ts';

const hasModifier = (keys: string): boolean => /\$mod|Control|Meta|Alt/.test(keys);

/** As long as a sequence of keys may take from one to the next. */
const SEQUENCE_MS = 1_000;

/** Binds the keys of all commands on the page. Plain keys rest while a field or a dialog has the focus. */
export function useShortcuts(): void {
  const sources = useCommandStore((state) => state.sources);
  useEffect(() => {
    let before = { key: '', at: 0 };
    /** Whether the event is the second key of a sequence, such as `g e`, which is not also a key of its own. */
    const endsSequence = (keys: string, at: number): boolean =>
      at - before.at < SEQUENCE_MS && `${before.key} ${keys}` in bindings;
    const bindings: Record<string, (event: KeyboardEvent) => void> = {};
    for (const command of allCommands(sources)) {
      if (!command.keys) continue;
      const keys = command.keys;
      bindings[keys] = (event) => {
        if (!hasModifier(keys) && isTyping(event.target)) return;
        if (endsSequence(keys, event.timeStamp)) return;
        const inDialog =
          event.target instanceof Element && event.target.closest('[role="dialog"], [role="menu"]');
        if (inDialog && !hasModifier(keys)) return;
        event.preventDefault();
        command.run();
      };
    }
    const stop = tinykeys(window, bindings);
    // Behind the bindings, so that they see the key before.
    const remember = (event: KeyboardEvent) => {
      before = { key: event.key, at: event.timeStamp };
    };
    window.addEventListener('keydown', remember);
    return () => {
      window.removeEventListener('keydown', remember);
      stop();
    };
  }, [sources]);
}
