import { useMemo, useRef } from 'react';
import { type Command, useCommands } from '../../../lib/commands.ts';
import { useInboxTexts } from '../texts/use-inbox-texts.ts';

/** Keys that open the next and the previous review. */
export function useStepKeys(step: (by: 1 | -1) => void): void {
  const t = useInboxTexts();
  // The commands stay the same while what they do changes with each render.
  const latest = useRef(step);
  latest.current = step;
  const commands = useMemo<Command[]>(
    () => [
      {
        id: 'reviews.next',
        title: t('next_review'),
        keys: 'j',
        keysOnly: true,
        repeats: true,
        run: () => latest.current(1),
      },
      {
        id: 'reviews.previous',
        title: t('previous_review'),
        keys: 'k',
        keysOnly: true,
        repeats: true,
        run: () => latest.current(-1),
      },
    ],
    [t],
  );
  useCommands(commands);
}
