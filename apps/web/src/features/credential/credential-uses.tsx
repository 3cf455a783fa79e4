import type { CredentialUse } from '@millrace/contracts';
import { useLocale } from 'use-intl';
import { useCredentialUses } from '../../data/credentials.ts';
import { useCredentialTexts } from './texts/use-credential-texts.ts';

/** Of the uses that a question names. */
const MOST_NAMED = 10;

/** Uses with a page of their own. */
const PATHS: Partial<Record<CredentialUse['kind'], string>> = { workflow: '/workflows', board: '/boards' };

function UseName({ use }: { use: CredentialUse }) {
  const t = useCredentialTexts();
  const path = PATHS[use.kind];
  return (
    <>
      {path ? (
        <a
          href={`${path}/${use.id}`}
          target="_blank"
          rel="noreferrer"
          className="break-words text-accent-text underline"
        >
          {use.name}
        </a>
      ) : (
        <span className="break-words">{use.name}</span>
      )}
      {use.kind === 'workflow' ? null : <span className="text-faint"> ({t(`use_kind.${use.kind}`)})</span>}
    </>
  );
}

/** Where a change of a credential takes effect. */
export function CredentialUses({ id }: { id: string }) {
  const t = useCredentialTexts();
  const { data, isError } = useCredentialUses(id);
  if (isError) return <p className="mt-2 text-base text-warning">{t('uses_unknown')}</p>;
  if (!data) return null;
  const { items, hidden_count, has_more } = data;
  if (items.length === 0 && hidden_count === 0 && !has_more) return null;
  return (
    <div className="mt-2 text-base">
      {items.length > 0 ? (
        <>
          <p>{t('used_in', { count: items.length })}</p>
          <ul className="mt-1 max-h-32 list-disc overflow-y-auto pl-5">
            {items.map((use) => (
              <li key={use.id}>
                <UseName use={use} />
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {hidden_count > 0 ? <p>{t('used_by_others', { count: hidden_count })}</p> : null}
      {has_more ? <p>{t('uses_incomplete')}</p> : null}
    </div>
  );
}

/** The same in sentences, for a question, which does not wait for them. */
export function CredentialUsesText({ id }: { id: string }) {
  const t = useCredentialTexts();
  const locale = useLocale();
  const { data, isError } = useCredentialUses(id);
  if (isError) return t('uses_unknown');
  if (!data) return t('uses_pending');
  const { items, hidden_count, has_more } = data;
  const named = items.slice(0, MOST_NAMED).map(({ name }) => t('quoted', { name }));
  const rest = items.length - named.length;
  const names = rest > 0 ? [...named, t('others', { count: rest })] : named;
  const list = new Intl.ListFormat(locale, { type: 'conjunction' }).format(names);
  return [
    ...(names.length > 0 ? [t('used_in_list', { list })] : []),
    ...(hidden_count > 0 ? [t('used_by_others', { count: hidden_count })] : []),
    ...(has_more ? [t('uses_incomplete')] : []),
  ].join(' ');
}
