import type { Workflow } from '@millrace/contracts';
import { ReactFlowProvider } from '@xyflow/react';
import { Suspense, useMemo, useRef } from 'react';
import { useMe } from '../../data/session.ts';
import { same } from '../../features/document/same.ts';
import { createDocumentStore, type DocumentStore } from '../../features/document/store.ts';
import { createRunStore } from '../../features/run-view/run-store.ts';
import { useNodeCatalog } from '../../i18n/use-node-catalog.ts';
import { lazy } from '../../lib/code/lazy.ts';
import { createInsertionStore } from '../fields/expression/insertion.ts';
import { EditorCommands } from '../header/editor-commands.tsx';
import { EditorHeader } from '../header/editor-header.tsx';
import { RunControlsProvider } from '../run/run-controls.tsx';
import { toDocument } from '../session/server-state.ts';
import { dropUnsavedCopy, readUnsavedCopy } from '../session/unsaved-copy.ts';
import { useLeaveGuard } from '../session/use-leave-guard.ts';
import { useSaving } from '../session/use-saving.ts';
import { type Editor, EditorProvider } from '../state/context.tsx';
import { createViewStore } from '../state/view.ts';
import { CheckedDocument } from './checked-document.tsx';
import { Workspace } from './workspace.tsx';

/** Needed only where two people changed the same place. */
const ConflictDialog = lazy(() =>
  import('../session/conflict-dialog.tsx').then((module) => ({ default: module.ConflictDialog })),
);

interface Opened {
  store: DocumentStore;
  /** Unsaved work from an earlier visit is on the canvas. */
  restored: boolean;
  /** State of the server that `saved` is. */
  base_updated_at: string;
}

/** The unsaved copy when one was left behind, else what is stored. */
function openStore(workflow: Workflow, user_id: string): Opened {
  const stored = toDocument(workflow);
  const place = { user_id, workflow_id: workflow.id };
  const copy = readUnsavedCopy(place);
  // A page can go before the answer to its last save arrives: what it kept is stored already.
  if (!copy || same(copy.document, stored)) {
    dropUnsavedCopy(place);
    return { store: createDocumentStore(stored), restored: false, base_updated_at: workflow.updated_at };
  }
  const isCurrent = copy.base_updated_at === workflow.updated_at;
  return {
    store: createDocumentStore(copy.document, isCurrent ? stored : copy.base),
    restored: true,
    // An older base makes the server refuse the save, so that what others saved since is merged and not lost.
    base_updated_at: copy.base_updated_at,
  };
}

const openParts = (workflow: Workflow, user_id: string) => ({
  ...openStore(workflow, user_id),
  run: createRunStore(),
  view: createViewStore(),
  insertion: createInsertionStore(),
});

function useEditorParts(workflow: Workflow): Opened & { editor: Editor; user_id: string } {
  const parts = useRef<ReturnType<typeof openParts>>(null);
  const me = useMe();
  parts.current ??= openParts(workflow, me.id);
  const { store, run, view, insertion, restored, base_updated_at } = parts.current;
  const catalog = useNodeCatalog();
  const editor = useMemo<Editor>(
    () => ({
      workflow_id: workflow.id,
      workflow_name: workflow.name,
      store,
      run,
      view,
      insertion,
      catalog,
    }),
    [workflow.id, workflow.name, store, run, view, insertion, catalog],
  );
  return { editor, store, restored, base_updated_at, user_id: me.id };
}

/** One open workflow: canvas in the middle, what is selected and how it runs at the side. */
export function EditorScreen({ workflow }: { workflow: Workflow }) {
  const { editor, restored, base_updated_at, user_id } = useEditorParts(workflow);
  const saving = useSaving(editor.store, { workflow, base_updated_at, user_id });
  useLeaveGuard(editor.store, saving);
  return (
    <EditorProvider editor={editor}>
      <CheckedDocument>
        <RunControlsProvider save={saving.save}>
          <ReactFlowProvider>
            <div className="flex h-full min-h-0 flex-col">
              <EditorHeader workflow={workflow} saving={saving} restored={restored} />
              <Workspace />
            </div>
            <EditorCommands saving={saving} />
          </ReactFlowProvider>
        </RunControlsProvider>
        {saving.conflict ? (
          <Suspense>
            <ConflictDialog saving={saving} />
          </Suspense>
        ) : null}
      </CheckedDocument>
    </EditorProvider>
  );
}
