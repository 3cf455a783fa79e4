import type { Credential } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import type { ReactNode } from 'react';
import { useModelCredentials } from '../../data/credentials.ts';
import { buttonStyle } from '../../ui/actions/button.tsx';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { useConversationTexts } from './texts/use-conversation-texts.ts';

/** Shown where a model is to be asked and no credential opens one. */
export function NoModel() {
  const t = useConversationTexts();
  return (
    <EmptyState
      icon={<Bot aria-hidden />}
      title={t('no_model')}
      actions={
        <Link to="/credentials" className={buttonStyle({ tone: 'primary' })}>
          {t('add_credential')}
        </Link>
      }
    >
      {t('no_model_hint')}
    </EmptyState>
  );
}

interface WithModelsProps {
  /** Called with at least one credential. */
  children: (credentials: readonly Credential[]) => ReactNode;
}

/** Content that asks a model, once the credentials are loaded; without one, how to add it. */
export function WithModels({ children }: WithModelsProps) {
  const credentials = useModelCredentials();
  if (credentials.isPending) return <SkeletonRows rows={4} />;
  if (credentials.isLoadingError)
    return <LoadFailed error={credentials.error} onRetry={() => void credentials.refetch()} />;
  return credentials.data.length > 0 ? children(credentials.data) : <NoModel />;
}
