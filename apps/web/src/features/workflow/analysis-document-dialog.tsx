import type { AnalysisDocument } from '@millrace/contracts';
import { NotebookPen, TriangleAlert } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useTranslations } from 'use-intl';
import {
  newerDocument,
  useAnalysisDocument,
  useWriteAnalysisDocument,
} from '../../data/analysis-document.ts';
import { lazy } from '../../lib/code/lazy.ts';
import { Button } from '../../ui/actions/button.tsx';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { Skeleton, SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Ago } from '../../ui/display/time.tsx';
import { TextArea } from '../../ui/forms/input.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { useWorkflowTexts } from './texts/use-workflow-texts.ts';

const MarkdownView = lazy(() => import('../../ui/results/markdown.tsx'));

interface AnalysisDocumentDialogProps {
  id: string;
  name: string;
  onClose: () => void;
}

/** §5.8: the document about a workflow that all users with access read and write. */
export function AnalysisDocumentDialog({ id, name, onClose }: AnalysisDocumentDialogProps) {
  const t = useWorkflowTexts('analysis_document');
  const query = useAnalysisDocument(id);
  if (query.data) return <Document id={id} name={name} document={query.data} onClose={onClose} />;
  return (
    <Dialog open size="large" onOpenChange={onClose} title={t('title', { name })}>
      {query.isLoadingError ? (
        <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <SkeletonRows rows={6} />
      )}
    </Dialog>
  );
}

/** The text under way and the revision that it goes back to. */
interface Draft {
  text: string;
  base: AnalysisDocument;
}

function Document({
  id,
  name,
  document,
  onClose,
}: AnalysisDocumentDialogProps & { document: AnalysisDocument }) {
  const t = useWorkflowTexts('analysis_document');
  const ui = useTranslations('ui');
  const write = useWriteAnalysisDocument(id);
  const [draft, setDraft] = useState<Draft>();
  const newer = newerDocument(write.error);
  const save = async (base_revision: number) => {
    if (!draft) return;
    try {
      await write.mutateAsync({ content: draft.text, base_revision });
      setDraft(undefined);
      toast.done(ui('saved'));
    } catch (error) {
      if (!newerDocument(error)) toast.failed(error instanceof Error ? error.message : String(error));
    }
  };
  const dirty = draft !== undefined && draft.text !== draft.base.content;
  return (
    <Dialog
      open
      size="large"
      // A half-written text is not thrown away by a click beside the dialog.
      sticky={dirty}
      onOpenChange={onClose}
      title={t('title', { name })}
      description={document.updated_at ? <LastWriter document={document} /> : t('hint')}
      footer={
        draft ? (
          <>
            <Button onClick={() => setDraft(undefined)}>{ui('cancel')}</Button>
            <Button
              tone="primary"
              busy={write.isPending}
              disabled={!dirty || newer !== undefined}
              onClick={() => void save(draft.base.revision)}
            >
              {ui('save')}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose}>{ui('close')}</Button>
            <Button tone="primary" onClick={() => setDraft({ text: document.content, base: document })}>
              {ui('edit')}
            </Button>
          </>
        )
      }
    >
      {newer && draft ? (
        <Conflict
          newer={newer}
          busy={write.isPending}
          onTheirs={() => {
            write.reset();
            setDraft({ text: newer.content, base: newer });
          }}
          onMine={() => void save(newer.revision)}
        />
      ) : null}
      {draft ? (
        <TextArea
          mono
          autoFocus
          rows={16}
          aria-label={t('text')}
          placeholder={t('placeholder')}
          value={draft.text}
          onChange={(event) => setDraft({ ...draft, text: event.target.value })}
        />
      ) : document.content === '' ? (
        <EmptyState icon={<NotebookPen aria-hidden />} title={t('none')}>
          {t('none_hint')}
        </EmptyState>
      ) : (
        <Suspense fallback={<Skeleton className="h-40" />}>
          <MarkdownView text={document.content} />
        </Suspense>
      )}
    </Dialog>
  );
}

function LastWriter({ document }: { document: AnalysisDocument }) {
  const t = useWorkflowTexts('analysis_document');
  return (
    <>
      {document.updated_by ? t('written_by', { name: document.updated_by.name }) : t('written')}
      {document.updated_at ? (
        <>
          {' · '}
          <Ago at={document.updated_at} />
        </>
      ) : null}
    </>
  );
}

interface ConflictProps {
  newer: AnalysisDocument;
  busy: boolean;
  onTheirs: () => void;
  onMine: () => void;
}

function Conflict({ newer, busy, onTheirs, onMine }: ConflictProps) {
  const t = useWorkflowTexts('analysis_document');
  return (
    <div role="alert" className="mb-3 rounded-m border border-warning-line bg-warning-tint px-3 py-2">
      <p className="flex items-center gap-2 font-medium text-warning">
        <TriangleAlert className="size-4 shrink-0" aria-hidden />
        {t('conflict', { name: newer.updated_by?.name ?? t('unknown_author') })}
      </p>
      <pre className="my-2 max-h-32 overflow-auto text-sm whitespace-pre-wrap">{newer.content}</pre>
      <span className="flex flex-wrap gap-2">
        <Button size="small" onClick={onTheirs}>
          {t('take_theirs')}
        </Button>
        <Button size="small" busy={busy} onClick={onMine}>
          {t('overwrite')}
        </Button>
      </span>
    </div>
  );
}
