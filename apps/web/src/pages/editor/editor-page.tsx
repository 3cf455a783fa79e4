import { getRouteApi } from '@tanstack/react-router';
import { isNotFound } from '../../data/refusal.ts';
import { useWorkflow } from '../../data/workflows.ts';
import { EditorScreen } from '../../editor/screen/editor-screen.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { Skeleton } from '../../ui/display/skeleton.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { NotFoundPage } from '../errors/not-found-page.tsx';

const route = getRouteApi('/app/workflows/$id');

export function EditorPage() {
  const { id } = route.useParams();
  const workflow = useWorkflow(id);
  if (isNotFound(workflow.error)) return <NotFoundPage />;
  if (workflow.isLoadingError)
    return <LoadFailed error={workflow.error} onRetry={() => void workflow.refetch()} />;
  if (workflow.data) return <EditorScreen key={workflow.data.id} workflow={workflow.data} />;
  return (
    <Page title={<Skeleton className="h-4 w-40" />} fill>
      <Skeleton className="m-5 grow" />
    </Page>
  );
}
