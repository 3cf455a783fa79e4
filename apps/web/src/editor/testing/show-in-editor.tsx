import type { WorkflowDocument } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { act, type RenderResult, render } from '@testing-library/react';
import { type ReactNode, Suspense } from 'react';
import { createQueryClient } from '../../data/query-client.ts';
import { createDocumentStore } from '../../features/document/store.ts';
import { createRunStore } from '../../features/run-view/run-store.ts';
import { LanguageProvider } from '../../i18n/provider.tsx';
import { TooltipProvider } from '../../ui/overlays/tooltip.tsx';
import { createInsertionStore } from '../fields/expression/insertion.ts';
import { RunControlsProvider } from '../run/run-controls.tsx';
import { EditorProvider } from '../state/context.tsx';
import { createViewStore } from '../state/view.ts';

const WORKFLOW_ID = '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a10';

/** The editor's route of the app, at which nothing but the part is shown. */
function createEditorRouter(part: () => ReactNode) {
  const root = createRootRoute();
  const app = createRoute({ getParentRoute: () => root, id: 'app' });
  const editor = createRoute({ getParentRoute: () => app, path: '/workflows/$id', component: part });
  return createRouter({
    routeTree: root.addChildren([app.addChildren([editor])]),
    history: createMemoryHistory({ initialEntries: [`/workflows/${WORKFLOW_ID}`] }),
  });
}

/** Shows a part of the editor with a document, in the providers of the app, without a canvas and without a server. */
export async function showInEditor(document: WorkflowDocument, part: ReactNode): Promise<RenderResult> {
  const editor = {
    workflow_id: WORKFLOW_ID,
    workflow_name: 'Shown in a test',
    store: createDocumentStore(document),
    run: createRunStore(),
    view: createViewStore(),
    insertion: createInsertionStore(),
    catalog,
  };
  const router = createEditorRouter(() => (
    <EditorProvider editor={editor}>
      <RunControlsProvider save={() => Promise.resolve(true)}>
        <Suspense>{part}</Suspense>
      </RunControlsProvider>
    </EditorProvider>
  ));
  return act(async () =>
    render(
      <QueryClientProvider client={createQueryClient()}>
        <LanguageProvider>
          <TooltipProvider>
            <RouterProvider router={router} />
          </TooltipProvider>
        </LanguageProvider>
      </QueryClientProvider>,
    ),
  );
}
