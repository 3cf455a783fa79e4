import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { buttonStyle } from '../../ui/actions/button.tsx';
import { EmptyState } from '../../ui/display/empty-state.tsx';

export function NotFoundPage() {
  const t = useTranslations('nav');
  return (
    <EmptyState
      icon={<Compass aria-hidden />}
      title={t('not_found')}
      actions={
        <Link to="/" className={buttonStyle({ tone: 'primary' })}>
          {t('go_home')}
        </Link>
      }
    >
      {t('not_found_hint')}
    </EmptyState>
  );
}
