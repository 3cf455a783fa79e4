import { getRouteApi, Link } from '@tanstack/react-router';
import { UserCheck, Workflow } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { Button, buttonStyle } from '../../../ui/actions/button.tsx';
import { EmptyState } from '../../../ui/display/empty-state.tsx';
import { useRunsTexts } from '../../runs/texts/use-runs-texts.ts';
import { useInboxTexts } from '../texts/use-inbox-texts.ts';

const route = getRouteApi('/app/inbox/reviews');

/** Shown in the place of the list: that nothing is to be decided, or that nothing matches. */
export function NoReviews() {
  const runsText = useRunsTexts();
  const t = useInboxTexts();
  const nav = useTranslations('nav');
  const navigate = route.useNavigate();
  const { workflow, q } = route.useSearch();
  if (workflow !== undefined || q !== undefined) {
    return (
      <EmptyState
        icon={<UserCheck aria-hidden />}
        title={t('reviews_none_match')}
        actions={
          <Button onClick={() => void navigate({ search: {}, replace: true })}>
            {runsText('clear_filters')}
          </Button>
        }
      >
        {t('reviews_none_match_hint')}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<UserCheck aria-hidden />}
      title={t('reviews_none')}
      actions={
        <Link to="/" className={buttonStyle({ tone: 'plain' })}>
          <Workflow aria-hidden />
          {nav('workflows')}
        </Link>
      }
    >
      {t('reviews_none_hint')}
    </EmptyState>
  );
}
