import { getRouteApi, Link } from '@tanstack/react-router';
import { Activity, Inbox } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { Button, buttonStyle } from '../../ui/actions/button.tsx';
import { EmptyState } from '../../ui/display/empty-state.tsx';

const route = getRouteApi('/app/inbox');

/** What stands in the place of the list: that nothing failed, or that nothing that failed matches. */
export function NoEntries() {
  const t = useTranslations();
  const navigate = route.useNavigate();
  const { workflow, kind, q, dismissed } = route.useSearch();
  if ([workflow, kind, q, dismissed].some((value) => value !== undefined)) {
    return (
      <EmptyState
        icon={<Inbox aria-hidden />}
        title={t('runs.none_match')}
        actions={
          <Button onClick={() => void navigate({ search: {}, replace: true })}>
            {t('runs.clear_filters')}
          </Button>
        }
      >
        {t('runs.none_match_hint')}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<Inbox aria-hidden />}
      title={t('inbox.none')}
      actions={
        <Link to="/runs" className={buttonStyle({ tone: 'plain' })}>
          <Activity aria-hidden />
          {t('nav.runs')}
        </Link>
      }
    >
      {t('inbox.none_hint')}
    </EmptyState>
  );
}
