import type { WorkflowDocument } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import type { RenderResult } from '@testing-library/react';
import { type ReactNode, Suspense } from 'react';
import { createDocumentStore } from '../../features/document/store.ts';
import { createRunStore } from '../../features/run-view/run-store.ts';
import { showAtPath } from '../../features/testing/show-at-path.tsx';
import { createInsertionStore } from '../fields/expression/insertion.ts';
import { RunControlsProvider } from '../run/run-controls.tsx';
import { EditorProvider } from '../state/context.tsx';
import { createViewStore } from '../state/view.ts';

const WORKFLOW_ID = '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a10';

/** Shows a part of the editor with a document, which is saved unless `save` says that it is not, in the providers of the app, without a canvas and without a server. */
export async function showInEditor(
  document: WorkflowDocument,
  part: ReactNode,
  save: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<RenderResult> {
  const editor = {
    workflow_id: WORKFLOW_ID,
    workflow_name: 'Shown in a test',
    store: createDocumentStore(document),
    run: createRunStore(),
    view: createViewStore(),
    insertion: createInsertionStore(),
    catalog,
  };
  return showAtPath(
    { path: '/workflows/$id', address: `/workflows/${WORKFLOW_ID}` },
    <EditorProvider editor={editor}>
      <RunControlsProvider save={save}>
        <Suspense>{part}</Suspense>
      </RunControlsProvider>
    </EditorProvider>,
  );
}
