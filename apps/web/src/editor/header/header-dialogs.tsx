import type { Workflow } from '@millrace/contracts';
import { Suspense } from 'react';
import { lazy } from '../../lib/code/lazy.ts';
import { useExtract } from '../extract/extract-store.ts';
import type { Saving } from '../session/saving.ts';
import { useEditor, useView } from '../state/context.tsx';

/** The dialogs that the header opens itself. */
export type HeaderDialog =
  | 'assistant'
  | 'endpoint'
  | 'portal'
  | 'versions'
  | 'settings'
  | 'analysis_document'
  | 'share';

const ShareDialog = lazy(() =>
  import('../../features/sharing/share-dialog.tsx').then((module) => ({ default: module.ShareDialog })),
);
const SettingsDialog = lazy(() =>
  import('../../features/workflow/settings-dialog.tsx').then((module) => ({
    default: module.SettingsDialog,
  })),
);
const AnalysisDocumentDialog = lazy(() =>
  import('../../features/workflow/analysis-document-dialog.tsx').then((module) => ({
    default: module.AnalysisDocumentDialog,
  })),
);
const EndpointDialog = lazy(() =>
  import('../publish/endpoint/endpoint-dialog.tsx').then((module) => ({ default: module.EndpointDialog })),
);
const PortalDialog = lazy(() =>
  import('../publish/portal/portal-dialog.tsx').then((module) => ({ default: module.PortalDialog })),
);
const ExtractDialog = lazy(() =>
  import('../extract/extract-dialog.tsx').then((module) => ({ default: module.ExtractDialog })),
);
const PublishDialog = lazy(() =>
  import('../publish/publish-dialog.tsx').then((module) => ({ default: module.PublishDialog })),
);
const AssistantDialog = lazy(() =>
  import('../assistant/assistant-dialog.tsx').then((module) => ({ default: module.AssistantDialog })),
);
const VersionsDialog = lazy(() =>
  import('../publish/versions/versions-dialog.tsx').then((module) => ({ default: module.VersionsDialog })),
);

interface HeaderDialogsProps {
  workflow: Workflow;
  saving: Saving;
  open: HeaderDialog | undefined;
  onClose: () => void;
}

/** The dialogs about the workflow as a whole; each is loaded when it is first opened. */
export function HeaderDialogs({ workflow, saving, open, onClose }: HeaderDialogsProps) {
  const { view } = useEditor();
  const extracting = useExtract((state) => state.open);
  const publishing = useView((state) => state.publishing);
  return (
    <Suspense>
      {open === 'endpoint' ? <EndpointDialog workflow={workflow} onClose={onClose} /> : null}
      {open === 'portal' ? <PortalDialog workflow={workflow} onClose={onClose} /> : null}
      {open === 'versions' ? <VersionsDialog workflow={workflow} saving={saving} onClose={onClose} /> : null}
      {open === 'assistant' ? (
        <AssistantDialog workflow={workflow} saving={saving} onClose={onClose} />
      ) : null}
      {open === 'settings' ? <SettingsDialog id={workflow.id} onClose={onClose} /> : null}
      {open === 'analysis_document' ? (
        <AnalysisDocumentDialog id={workflow.id} name={workflow.name} onClose={onClose} />
      ) : null}
      {open === 'share' ? (
        <ShareDialog kind="workflow" id={workflow.id} name={workflow.name} onClose={onClose} />
      ) : null}
      {extracting ? <ExtractDialog /> : null}
      {publishing ? (
        <PublishDialog
          workflow={workflow}
          saving={saving}
          onClose={() => view.getState().set({ publishing: false })}
        />
      ) : null}
    </Suspense>
  );
}
