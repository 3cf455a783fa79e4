import type { CredentialGroup, CredentialType } from '@millrace/engine/credential';
import { useState } from 'react';
import { useCredentialTypes } from '../../i18n/use-credential-types.ts';
import { bestMatches } from '../../lib/fuzzy.ts';
import { SearchInput } from '../../ui/forms/input.tsx';
import { useCredentialTexts } from './texts/use-credential-texts.ts';
import { TypeIcon } from './type-icon.tsx';

const GROUPS: readonly CredentialGroup[] = [
  'http',
  'models',
  'messaging',
  'mail',
  'stores',
  'storage',
  'developer',
  'productivity',
];

interface TypePickerProps {
  /** Types to choose from; absent for all that are offered. */
  accepted: readonly string[] | undefined;
  onPick: (type: CredentialType) => void;
}

/** Types of credentials by kind, with a search. */
export function TypePicker({ accepted, onPick }: TypePickerProps) {
  const t = useCredentialTexts();
  const [words, setWords] = useState('');
  const { all } = useCredentialTypes();
  const offered = all.filter(({ type, is_offered = true }) => accepted?.includes(type) ?? is_offered);
  const found = bestMatches(offered, words, (type) => [
    type.title,
    type.brand ?? '',
    type.type,
    t(`group_${type.group}`),
  ]);
  return (
    <>
      <SearchInput autoFocus value={words} onChange={setWords} label={t('find_type')} />
      {found.length === 0 ? <p className="py-8 text-center text-soft">{t('no_type')}</p> : null}
      {GROUPS.map((group) => {
        const types = found.filter((type) => type.group === group);
        if (types.length === 0) return null;
        return (
          <section key={group} aria-label={t(`group_${group}`)}>
            <h3 className="pt-4 pb-1.5 text-sm font-medium text-faint">{t(`group_${group}`)}</h3>
            <div className="grid gap-1.5 sm:grid-cols-2">
              {types.map((type) => (
                <button
                  key={type.type}
                  type="button"
                  onClick={() => onPick(type)}
                  className="flex min-h-11 items-center gap-2.5 rounded-m border border-line px-2.5 py-1 text-left hover:border-line-strong hover:bg-hover"
                >
                  <TypeIcon type={type} />
                  <span className="flex min-w-0 flex-col leading-tight">
                    <span className="truncate">{type.title}</span>
                    {type.brand ? <span className="truncate text-sm text-faint">{type.brand}</span> : null}
                  </span>
                </button>
              ))}
            </div>
          </section>
        );
      })}
    </>
  );
}
