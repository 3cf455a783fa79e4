import { createKeybindingsHandler } from 'tinykeys';

type KeyAction = (event: KeyboardEvent) => void;

/**
 * The character that a key means to shortcuts: the one it types, wherever the layout has it. A layout of another script
 * types none that shortcuts name, so there its letter keys have the letters of a Latin keyboard.
 */
export function readKey({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>): string {
  const [, letter] = /^Key([A-Z])$/.exec(code) ?? [];
  const isOtherScript = /^\p{L}$/u.test(key) && !/^\p{Script=Latin}$/u.test(key);
  return isOtherScript && letter !== undefined ? letter.toLowerCase() : key;
}

function asRead(event: KeyboardEvent): KeyboardEvent {
  const key = readKey(event);
  if (key === event.key) return event;
  const { code, ctrlKey, shiftKey, altKey, metaKey, repeat } = event;
  const modifierAltGraph = event.getModifierState('AltGraph');
  return new KeyboardEvent(event.type, {
    key,
    code,
    ctrlKey,
    shiftKey,
    altKey,
    metaKey,
    repeat,
    modifierAltGraph,
  });
}

/**
 * Calls what is bound to a key, in tinykeys notation: a character is the one that is typed, `Digit1` is a key of the number
 * row, which types something else with Shift on most layouts.
 */
export function createKeyHandler(
  bindings: Readonly<Record<string, KeyAction>>,
  options?: { timeout: number },
): KeyAction {
  let current: KeyboardEvent | undefined;
  const bound = Object.entries(bindings).map(([keys, act]) => [
    keys,
    (read: KeyboardEvent) => act(current ?? read),
  ]);
  const handler = createKeybindingsHandler(Object.fromEntries(bound), options);
  return (event) => {
    current = event;
    handler(asRead(event));
    current = undefined;
  };
}
