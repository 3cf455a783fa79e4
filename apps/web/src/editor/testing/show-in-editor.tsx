import type { WorkflowDocument } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, type RenderResult, render } from '@testing-library/react';
import { type ReactNode, Suspense } from 'react';
import { createQueryClient } from '../../data/query-client.ts';
import { LanguageProvider } from '../../i18n/provider.tsx';
import { TooltipProvider } from '../../ui/overlays/tooltip.tsx';
import { type Editor, EditorProvider } from '../context.tsx';
import { createInsertionStore } from '../fields/expression/insertion.ts';
import { createRunStore } from '../run/run-store.ts';
import { createEditorStore } from '../store.ts';
import { createViewStore } from '../view.ts';

export interface ShownInEditor extends RenderResult {
  readonly editor: Editor;
}

/** Shows a part of the editor with a document, in the providers of the app, without a canvas and without a server. */
export async function showInEditor(
  document: WorkflowDocument,
  part: (editor: Editor) => ReactNode,
): Promise<ShownInEditor> {
  const editor: Editor = {
    workflow_id: '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a10',
    workflow_name: 'Shown in a test',
    store: createEditorStore(document),
    run: createRunStore(),
    view: createViewStore(),
    insertion: createInsertionStore(),
    catalog,
  };
  const shown = await act(async () =>
    render(
      <QueryClientProvider client={createQueryClient()}>
        <LanguageProvider>
          <TooltipProvider>
            <EditorProvider editor={editor}>
              <Suspense>{part(editor)}</Suspense>
            </EditorProvider>
          </TooltipProvider>
        </LanguageProvider>
      </QueryClientProvider>,
    ),
  );
  return { ...shown, editor };
}
