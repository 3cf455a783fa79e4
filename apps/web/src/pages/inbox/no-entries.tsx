import { getRouteApi, Link } from '@tanstack/react-router';
import { Activity, Inbox } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { Button, buttonStyle } from '../../ui/actions/button.tsx';
import { EmptyState } from '../../ui/display/empty-state.tsx';
import { useRunsTexts } from '../runs/texts/use-runs-texts.ts';
import { useInboxTexts } from './texts/use-inbox-texts.ts';

const route = getRouteApi('/app/inbox');

/** Shown in the place of the list: that nothing failed, or that nothing that failed matches. */
export function NoEntries() {
  const runsText = useRunsTexts();
  const t = useInboxTexts();
  const nav = useTranslations('nav');
  const navigate = route.useNavigate();
  const { workflow, kind, q, dismissed } = route.useSearch();
  if ([workflow, kind, q, dismissed].some((value) => value !== undefined)) {
    return (
      <EmptyState
        icon={<Inbox aria-hidden />}
        title={runsText('none_match')}
        actions={
          <Button onClick={() => void navigate({ search: {}, replace: true })}>
            {runsText('clear_filters')}
          </Button>
        }
      >
        {runsText('none_match_hint')}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<Inbox aria-hidden />}
      title={t('none')}
      actions={
        <Link to="/runs" className={buttonStyle({ tone: 'plain' })}>
          <Activity aria-hidden />
          {nav('runs')}
        </Link>
      }
    >
      {t('none_hint')}
    </EmptyState>
  );
}
