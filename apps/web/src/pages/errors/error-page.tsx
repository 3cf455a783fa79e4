import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { Unplug } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { Button } from '../../ui/actions/button.tsx';
import { EmptyState } from '../../ui/display/empty-state.tsx';

/** Stands in for a page that could not even begin: no server, no network, a broken chunk after an update. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const t = useTranslations('nav');
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <div role="alert" className="flex h-full items-center">
      <EmptyState
        icon={<Unplug aria-hidden />}
        title={t('page_failed')}
        actions={
          <>
            <Button tone="primary" onClick={retry}>
              {t('try_again')}
            </Button>
            <Button onClick={() => window.location.reload()}>{t('reload')}</Button>
          </>
        }
      >
        <p>{t('page_failed_hint')}</p>
        <p className="mt-2 text-sm text-faint">{error instanceof Error ? error.message : String(error)}</p>
      </EmptyState>
    </div>
  );
}
