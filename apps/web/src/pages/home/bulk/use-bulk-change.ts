import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { type Changed, changeEach, type Refused } from '../../../data/change-each.ts';
import { useChange } from '../../../data/endpoint.ts';
import { ALL_PLACES } from '../../../data/folders.ts';
import { showFailure, toast } from '../../../ui/overlays/toast.ts';
import { useHomeTexts } from '../texts/use-home-texts.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

interface BulkChange<Item extends Named> {
  items: readonly Item[];
  change: (item: Item) => Promise<unknown>;
  /** Says what was done with so many of them. */
  getDone: (count: number) => string;
  /** Takes the change of one of them back. */
  undo?: (item: Item) => Promise<unknown>;
}

const MOST_NAMED = 3;

/** One line for each reason, with the names that it is about. */
function useRefusalLines(): (refused: readonly Refused<Named>[]) => string {
  const t = useHomeTexts();
  return (refused) => {
    const namesByReason = new Map<string, string[]>();
    for (const { item, reason: said, is_forbidden } of refused) {
      const reason = is_forbidden ? t('refused_not_owned') : said;
      namesByReason.set(reason, [...(namesByReason.get(reason) ?? []), item.name]);
    }
    return [...namesByReason]
      .map(([reason, those]) => {
        const names = those.slice(0, MOST_NAMED);
        return t('refused_line', { names: names.join(', '), more: those.length - names.length, reason });
      })
      .join(' ');
  };
}

/** Changes several things at once, and says how many were changed, which were not, and why. */
export function useBulkChange() {
  const t = useHomeTexts();
  const ui = useTranslations('ui');
  const getLines = useRefusalLines();
  const [finished, setFinished] = useState<number>();
  const { mutateAsync } = useChange((send: () => Promise<Changed<Named>>) => send(), {
    renewsEvenIfRefused: ALL_PLACES,
  });
  const run = async <Item extends Named>({ items, change, getDone, undo }: BulkChange<Item>) => {
    setFinished(0);
    try {
      let changed: Changed<Item> = { done: [], refused: [] };
      await mutateAsync(async () => {
        changed = await changeEach(items, change, setFinished);
        return changed;
      });
      const { done, refused } = changed;
      const takeBack = (undoOne: typeof change) =>
        void mutateAsync(() => changeEach(done, undoOne)).catch(showFailure);
      const options =
        undo && done.length > 0 ? { undo: { label: ui('undo'), run: () => takeBack(undo) } } : {};
      if (refused.length === 0) toast.done(getDone(done.length), options);
      else {
        const title = t('refused_some', { count: refused.length, of: items.length });
        const said = done.length === 0 ? title : `${getDone(done.length)}. ${title}`;
        toast.failed(said, { ...options, detail: getLines(refused) });
      }
    } finally {
      setFinished(undefined);
    }
  };
  return { finished, run };
}
