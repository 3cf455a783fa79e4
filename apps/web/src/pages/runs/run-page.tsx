import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { buttonStyle } from '../../ui/actions/button.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { RunDetail } from './run-detail.tsx';
import { useRunsTexts } from './texts/use-runs-texts.ts';

const route = getRouteApi('/app/runs/$id');

export function RunPage() {
  const t = useRunsTexts();
  const { id } = route.useParams();
  return (
    <Page
      fill
      title={t('details')}
      lead={
        <Link
          to="/runs"
          aria-label={t('title')}
          className={buttonStyle({ tone: 'quiet', size: 'small', square: true })}
        >
          <ArrowLeft aria-hidden />
        </Link>
      }
    >
      <RunDetail key={id} id={id} />
    </Page>
  );
}
