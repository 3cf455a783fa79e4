import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { isNotFound } from '../../data/refusal.ts';
import { useOpenWorkflow } from '../../data/workflows.ts';
import { EditorScreen } from '../../editor/screen/editor-screen.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { Skeleton } from '../../ui/display/skeleton.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { GonePage } from './gone-page.tsx';

const route = getRouteApi('/app/workflows/$id');

export function EditorPage() {
  const { id } = route.useParams();
  const workflow = useOpenWorkflow(id);
  // The answer that it is gone takes the data off the screen.
  const [seen, setSeen] = useState<{ id: string; name: string }>();
  if (workflow.data && (seen?.id !== workflow.data.id || seen.name !== workflow.data.name))
    setSeen({ id: workflow.data.id, name: workflow.data.name });
  if (isNotFound(workflow.error))
    return <GonePage key={id} id={id} name={seen?.id === id ? seen.name : undefined} />;
  if (workflow.isLoadingError)
    return <LoadFailed error={workflow.error} onRetry={() => void workflow.refetch()} />;
  if (workflow.data) return <EditorScreen key={workflow.data.id} workflow={workflow.data} />;
  return (
    <Page title={<Skeleton className="h-4 w-40" />} fill>
      <Skeleton className="m-5 grow" />
    </Page>
  );
}
