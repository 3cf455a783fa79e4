import { LayoutGrid, List, Upload } from 'lucide-react';
import { type HomeSearch, WORKFLOW_SORTS } from '../../search.ts';
import { usePreferences } from '../../session/preferences.ts';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { PageSearch } from '../../ui/forms/filters.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { Segmented } from '../../ui/forms/toggles.tsx';
import { useHomeTexts } from './texts/use-home-texts.ts';

interface HomeToolbarProps {
  search: HomeSearch;
  words: string;
  onWords: (words: string) => void;
  onChange: (part: Partial<HomeSearch>) => void;
  onImport: () => void;
}

export function HomeToolbar({ search, words, onWords, onChange, onImport }: HomeToolbarProps) {
  const t = useHomeTexts();
  const view = usePreferences((state) => state.workflowView);
  const change = usePreferences((state) => state.change);
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-2 sm:px-5">
      <PageSearch
        className="min-w-40 grow sm:max-w-80"
        label={t('search')}
        value={words}
        onChange={onWords}
      />
      <span className="ml-auto flex items-center gap-2">
        <IconButton
          className="sm:hidden"
          label={t('import')}
          icon={<Upload aria-hidden />}
          onClick={onImport}
        />
        <Select
          fit
          aria-label={t('sort')}
          value={search.sort ?? 'updated_at'}
          onChange={(sort) => onChange({ sort: sort === 'updated_at' ? undefined : sort })}
          choices={WORKFLOW_SORTS.map((value) => ({ value, label: t(`sort_${value}`) }))}
        />
        <Segmented
          iconsOnly
          label={t('view')}
          value={view}
          onChange={(workflowView) => change({ workflowView })}
          choices={[
            { value: 'cards', label: t('cards'), icon: <LayoutGrid aria-hidden /> },
            { value: 'list', label: t('list'), icon: <List aria-hidden /> },
          ]}
        />
      </span>
    </div>
  );
}
