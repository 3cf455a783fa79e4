import type { CredentialUse } from '@millrace/contracts';
import { useCredentialTexts } from './texts/use-credential-texts.ts';

/** Which workflows a change of a credential is for. */
export function CredentialUses({ uses }: { uses: readonly CredentialUse[] }) {
  const t = useCredentialTexts();
  if (uses.length === 0) return null;
  return (
    <div className="mt-2 text-base">
      <p>{t('used_by', { count: uses.length })}</p>
      <ul className="mt-1 max-h-32 list-disc overflow-y-auto pl-5">
        {uses.map(({ workflow_id, workflow_name }) => (
          <li key={workflow_id}>
            <a
              href={`/workflows/${workflow_id}`}
              target="_blank"
              rel="noreferrer"
              className="break-words text-accent-text underline"
            >
              {workflow_name}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
