import { useMemo, useRef } from 'react';
import { type Command, useCommands } from '../../lib/commands.ts';
import { useReviewTexts } from './texts/use-review-texts.ts';

interface ReviewActions {
  accept: () => void;
  edit: () => void;
  refuse: () => void;
  /** Sends what was typed. */
  send: () => void;
}

const NONE: readonly Command[] = [];

/** Keys that decide the review on screen; undefined for people who have no page with keys. */
export function useReviewKeys(actions: ReviewActions | undefined): void {
  const t = useReviewTexts();
  // The commands stay the same while what they do changes with each render.
  const latest = useRef(actions);
  latest.current = actions;
  const isOn = actions !== undefined;
  const commands = useMemo<readonly Command[]>(() => {
    if (!isOn) return NONE;
    const command = (what: keyof ReviewActions, keys: string, title: string): Command => ({
      id: `review.${what}`,
      title,
      keys,
      keysOnly: true,
      run: () => latest.current?.[what](),
    });
    return [
      command('accept', 'a', t('accept')),
      command('edit', 'e', t('edit')),
      command('refuse', 'r', t('refuse')),
      command('send', '$mod+Enter', t('send')),
    ];
  }, [t, isOn]);
  useCommands(commands);
}
