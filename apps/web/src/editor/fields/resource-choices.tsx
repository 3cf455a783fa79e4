import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { type ChoiceQuery, useCredentialChoices } from '../../data/credentials.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { Button } from '../../ui/actions/button.tsx';
import { ChoiceRow, ChoiceSearch, NOTHING_FOUND } from '../../ui/forms/choice-search.tsx';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';
import { useCapabilityWords } from './use-capability-words.ts';

interface ResourceChoicesProps extends Omit<ChoiceQuery, 'search'> {
  label: string;
  chosen: string;
  onChoose: (value: string) => void;
}

/** The choices that the service has, page by page, with its own search. */
export function ResourceChoices({ label, chosen, onChoose, ...query }: ResourceChoicesProps) {
  const t = usePanelTexts('fields');
  const ui = useTranslations('ui');
  const capabilityWords = useCapabilityWords();
  const [words, setWords] = useState('');
  const search = useDebounced(words.trim());
  const [found, refresh] = useCredentialChoices({ ...query, search });
  const items = found.data?.pages.flatMap((page) => page.items) ?? [];
  // An empty list that a former search found says nothing of this one.
  const isLoading = found.isPending || (found.isPlaceholderData && items.length === 0);
  return (
    <ChoiceSearch
      label={label}
      words={words}
      onWords={setWords}
      busy={found.isFetching}
      notice={
        query.list === 'models' && found.isSuccess ? (
          <Button
            size="small"
            tone="quiet"
            className="m-1 self-start"
            disabled={found.isFetching}
            onClick={() => void refresh()}
          >
            {t('choices_refresh')}
          </Button>
        ) : null
      }
    >
      {isLoading ? (
        <p role="status" className={NOTHING_FOUND}>
          {t('choices_loading')}
        </p>
      ) : null}
      {found.isError ? (
        <div role="alert" className="flex flex-col items-start gap-2 px-2 py-3 text-sm">
          <p className="text-danger">{found.error.message}</p>
          <Button size="small" onClick={() => void found.refetch()}>
            {t('choices_again')}
          </Button>
        </div>
      ) : null}
      {found.isSuccess && items.length === 0 && !isLoading ? (
        <p role="status" className={NOTHING_FOUND}>
          {search === '' ? t('choices_empty') : ui('nothing_found')}
        </p>
      ) : null}
      {items.map((item) => (
        <ChoiceRow
          key={item.value}
          id={item.value}
          label={item.label}
          hint={[item.hint, capabilityWords(item.capabilities)].filter(Boolean).join(' · ')}
          chosen={item.value === chosen}
          onChoose={() => onChoose(item.value)}
        />
      ))}
      {found.hasNextPage ? (
        <Button
          size="small"
          tone="quiet"
          disabled={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          {found.isFetchingNextPage ? t('choices_loading') : t('choices_more')}
        </Button>
      ) : null}
    </ChoiceSearch>
  );
}
