import { useMemo, useRef } from 'react';
import { type Command, useCommands } from '../../lib/commands.ts';
import { useRunsTexts } from '../runs/texts/use-runs-texts.ts';
import { useInboxTexts } from './texts/use-inbox-texts.ts';

const focused = (): HTMLElement | null => document.activeElement?.closest<HTMLElement>('[data-row]') ?? null;

function step(way: 'nextElementSibling' | 'previousElementSibling'): void {
  const row = focused();
  const next = row ? row[way] : document.querySelector('[data-row]');
  if (next instanceof HTMLElement) next.focus();
}

interface RowActions {
  replay: (id: string) => void;
  /** Dismisses the entry, or restores it. */
  move: (id: string) => void;
}

/** Keys for the row that has the focus: the list is gone through without a mouse. */
export function useRowKeys(actions: RowActions, dismissed: boolean): void {
  const t = useInboxTexts();
  const runsText = useRunsTexts();
  // The commands stay the same while what they do changes with each render.
  const latest = useRef(actions);
  latest.current = actions;
  const commands = useMemo<Command[]>(() => {
    const act = (what: keyof RowActions) => {
      const id = focused()?.dataset['menuOwner'];
      if (id !== undefined) latest.current[what](id);
    };
    return [
      {
        id: 'inbox.next',
        title: t('next'),
        keys: 'j',
        keysOnly: true,
        repeats: true,
        run: () => step('nextElementSibling'),
      },
      {
        id: 'inbox.previous',
        title: t('previous'),
        keys: 'k',
        keysOnly: true,
        repeats: true,
        run: () => step('previousElementSibling'),
      },
      {
        id: 'inbox.replay',
        title: runsText('run_again'),
        keys: 'r',
        keysOnly: true,
        run: () => act('replay'),
      },
      {
        id: 'inbox.move',
        title: dismissed ? t('restore') : t('dismiss'),
        keys: 'e',
        keysOnly: true,
        run: () => {
          const row = focused();
          act('move');
          // The row goes, and the focus would go with it.
          const neighbour = row?.nextElementSibling ?? row?.previousElementSibling;
          if (neighbour instanceof HTMLElement) neighbour.focus();
        },
      },
    ];
  }, [t, runsText, dismissed]);
  useCommands(commands);
}
