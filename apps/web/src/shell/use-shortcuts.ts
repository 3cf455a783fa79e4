import { useLayoutEffect } from 'react';
import { allCommands, type CommandStore, useCommandStore } from '../lib/commands.ts';
import { createKeyHandler, readKey } from '../lib/keyboard/key-handler.ts';
import { isTyping } from '../lib/keyboard/typing.ts';

const hasModifier = (keys: string): boolean => /\$mod|Control|Meta|Alt/.test(keys);

/** As long as a sequence of keys may take from one to the next. */
const SEQUENCE_MS = 1_000;

/** Listens for the keys of all commands, whichever the page offers at the moment. Returns how to stop. */
function listen(): () => void {
  let before: KeyboardEvent | undefined;
  let replaying = false;
  let handler: ((event: KeyboardEvent) => void) | undefined;

  const bind = ({ sources }: CommandStore) => {
    const bindings: Record<string, (event: KeyboardEvent) => void> = {};
    /** Whether the event is the second key of a sequence, such as `g e`, which is not also a key of its own. */
    const endsSequence = (keys: string, at: number): boolean =>
      before !== undefined && at - before.timeStamp < SEQUENCE_MS && `${readKey(before)} ${keys}` in bindings;
    for (const command of allCommands(sources)) {
      if (!command.keys) continue;
      const keys = command.keys;
      bindings[keys] = (event) => {
        if (replaying) return;
        if (!hasModifier(keys) && isTyping(event.target)) return;
        if (endsSequence(keys, event.timeStamp)) return;
        const inDialog =
          event.target instanceof Element && event.target.closest('[role="dialog"], [role="menu"]');
        if (inDialog && !hasModifier(keys)) return;
        event.preventDefault();
        if (event.repeat && !command.repeats) return;
        command.run();
      };
    }
    handler = createKeyHandler(bindings, { timeout: SEQUENCE_MS });
    // A page that loads between the two keys of a sequence binds anew, which must not lose the first of them.
    if (before === undefined || performance.now() - before.timeStamp >= SEQUENCE_MS) return;
    replaying = true;
    handler(before);
    replaying = false;
  };

  const onKeyDown = (event: KeyboardEvent) => {
    handler?.(event);
    // After the bindings, so that they see the key before.
    before = event;
  };
  bind(useCommandStore.getState());
  const stop = useCommandStore.subscribe(bind);
  window.addEventListener('keydown', onKeyDown);
  return () => {
    window.removeEventListener('keydown', onKeyDown);
    stop();
  };
}

/**
 * Binds the keys of all commands on the page. Plain keys rest while a field or a dialog has the focus.
 * A layout effect: what is on screen already listens to its keys.
 */
export function useShortcuts(): void {
  useLayoutEffect(listen, []);
}
