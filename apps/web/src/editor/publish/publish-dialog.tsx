import { discardDraft, publishWorkflow, type Workflow } from '@millrace/contracts';
import type { Problem } from '@millrace/engine';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { ApiError, api } from '../../data/api.ts';
import { keys } from '../../data/keys.ts';
import { isHeldByGate, isRunning, usePublishGate, useRunPublishGate } from '../../data/publish-gate.ts';
import { useDraftDiff } from '../../data/versions.ts';
import { Button } from '../../ui/actions/button.tsx';
import { Keys } from '../../ui/display/keys.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { TextArea } from '../../ui/forms/input.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { labelOf } from '../document/edit.ts';
import { same } from '../document/same.ts';
import { documentOf, isOwnState, type Saving, theirState } from '../session/use-saving.ts';
import { useDocument, useEditor, useProblems } from '../state/context.tsx';
import { isUnsaved } from '../state/store.ts';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import { canRunEvals, GateSuites } from './gate.tsx';
import { Changes } from './versions/changes.tsx';

interface PublishDialogProps {
  workflow: Workflow;
  saving: Saving;
  onClose: () => void;
}

const FORM = 'publish-form';
const LONGEST_NOTE = 2_000;

/** Makes the draft live: what changes for callers, what is wrong with it, what has to pass, and a note for the list of versions. */
export function PublishDialog({ workflow, saving, onClose }: PublishDialogProps) {
  const t = useEditorTexts('publish');
  const gateTexts = useEditorTexts('gate');
  const [note, setNote] = useState('');
  /** Undefined until the owner asks for a way past the evals. */
  const [reason, setReason] = useState<string>();
  const problems = useNamedProblems();
  const unsaved = useDocument(isUnsaved);
  const { save } = saving;
  // What is published is the draft as the server has it.
  useEffect(() => void save(), [save]);
  const { version_id, published } = workflow;
  const diff = useDraftDiff(workflow, version_id, !unsaved);
  const { publish, discard, refused } = usePublication({ workflow, saving, onClose });
  const send = (override_reason?: string) => publish.mutate({ note, override_reason });
  const gated = useGate({ workflow, unsaved, publish: () => send() });
  const { gate } = gated;
  const isOverriding = reason !== undefined && gate?.passes === false;
  const isShut = gate?.passes === false && !isOverriding;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const blocked =
    unsaved || gated.isLoading || (isShut && !gated.canRun) || (isOverriding && reason.trim() === '');
  const go = () => {
    if (blocked || publish.isPending || gated.busy) return;
    if (isShut) gated.run();
    else send(isOverriding ? reason : undefined);
  };
  const word = isShut ? gateTexts('run') : isOverriding ? gateTexts('publish') : undefined;
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={t('title')}
      description={published ? t('description', { number: workflow.version_number }) : t('first')}
      size="wide"
      footer={
        <>
          {published && workflow.unpublished_changes ? (
            <Button
              className="mr-auto"
              tone="quiet-danger"
              busy={discard.isPending}
              onClick={() => discard.mutate()}
            >
              {t('discard')}
            </Button>
          ) : null}
          {gate?.passes === false && gate.may_override ? (
            <Button onClick={() => setReason(isOverriding ? undefined : '')}>
              {isOverriding ? gateTexts('back') : gateTexts('override')}
            </Button>
          ) : null}
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button
            type="submit"
            form={FORM}
            tone="primary"
            busy={publish.isPending || (isShut && gated.busy)}
            disabled={blocked}
          >
            {word ?? (errors > 0 ? t('publish_anyway') : t('publish'))}
            <Keys keys="mod+enter" inverse />
          </Button>
        </>
      }
    >
      <form
        id={FORM}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          go();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          go();
        }}
      >
        {(gated.problem ?? refused) ? (
          <p role="alert" className="text-sm text-danger">
            {gated.problem ?? refused}
          </p>
        ) : null}
        <Field label={t('note')} hint={t('note_hint')} optional>
          {(control) => (
            <TextArea
              {...control}
              autoFocus
              rows={2}
              maxLength={LONGEST_NOTE}
              value={note}
              onChange={(event) => setNote(event.target.value)}
            />
          )}
        </Field>
        {isOverriding ? (
          <Field label={gateTexts('reason')} hint={gateTexts('reason_hint')} required>
            {(control) => (
              <TextArea
                {...control}
                rows={2}
                maxLength={LONGEST_NOTE}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
            )}
          </Field>
        ) : null}
        {gate && gate.suites.length > 0 ? <GateSuites gate={gate} /> : null}
        {gated.busy ? <p className="text-sm text-soft">{gateTexts('leave')}</p> : null}
        <Checks problems={problems} />
        {diff.data ? <Changes diff={diff.data} current={documentOf(workflow)} /> : <SkeletonRows rows={4} />}
      </form>
    </Dialog>
  );
}

/** Publishes the draft, or goes back to what is published. */
function usePublication({ workflow, saving, onClose }: PublishDialogProps) {
  const t = useEditorTexts('publish');
  const gateTexts = useEditorTexts('gate');
  const client = useQueryClient();
  const { store } = useEditor();
  const { save, settle, replace, base } = saving;
  const { id } = workflow;
  const [hasNews, setNews] = useState(true);
  const publish = useMutation({
    mutationFn: async (words: { note: string; override_reason: string | undefined }) => {
      if (!(await save())) throw new Error(t('not_saved'));
      return api(publishWorkflow, { params: { id }, body: { ...words, base_updated_at: base() } });
    },
    onSuccess: (saved) => {
      settle(saved);
      toast.done(t('done', { number: saved.version_number }));
      onClose();
    },
    onError: (error) => {
      // The other changes are on the canvas and in the list of changes then, to be looked at first.
      const theirs = theirState(error);
      if (theirs) {
        // Only a setting or the name may have been saved.
        const isNews = !same(documentOf(theirs), store.getState().saved);
        setNews(isNews);
        if (isNews) replace(theirs);
        else settle(theirs);
      }
      if (isHeldByGate(error)) void client.invalidateQueries({ queryKey: keys.publishGate(id) });
    },
  });
  const discard = useMutation({
    mutationFn: () => api(discardDraft, { params: { id }, query: { base_updated_at: base() } }),
    onSuccess: (saved) => {
      replace(saved);
      toast.done(t('discarded'), { undo: { label: t('undo'), run: store.getState().undo } });
      onClose();
    },
  });
  const error = publish.error ?? discard.error;
  const refused = isHeldByGate(error)
    ? gateTexts('not_passed')
    : error instanceof ApiError && theirState(error)
      ? t(hasNews ? (isOwnState(error) ? 'own' : 'others') : 'settings')
      : error?.message;
  return { publish, discard, refused };
}

interface GateOptions {
  workflow: Workflow;
  unsaved: boolean;
  publish: () => void;
}

/** The evals that have to pass on the draft. Started here, they are followed, and the draft is published when all have passed. */
function useGate({ workflow, unsaved, publish }: GateOptions) {
  const t = useEditorTexts('gate');
  const query = usePublishGate(workflow, !unsaved);
  const start = useRunPublishGate(workflow);
  const [awaited, setAwaited] = useState(false);
  const [missed, setMissed] = useState(false);
  const gate = query.data;
  const onEnd = useEffectEvent((passes: boolean) => {
    setAwaited(false);
    setMissed(!passes);
    if (passes) publish();
  });
  const isOver = awaited && !start.isPending && gate !== undefined && !isRunning(gate);
  const passes = gate?.passes === true;
  useEffect(() => {
    if (isOver) onEnd(passes);
  }, [isOver, passes]);
  return {
    gate,
    isLoading: query.isPending && !query.isError,
    // Evals that another person has started are waited for.
    canRun: gate !== undefined && (canRunEvals(gate) || isRunning(gate)),
    busy: start.isPending || awaited,
    problem: start.error?.message ?? (missed && !passes ? t('not_passed') : undefined),
    run: () => {
      setMissed(false);
      start.mutate(undefined, { onSuccess: () => setAwaited(true) });
    },
  };
}

interface NamedProblem extends Problem {
  readonly label: string;
}

function useNamedProblems(): readonly NamedProblem[] {
  const problems = useProblems();
  const nodes = useDocument((state) => state.document.nodes);
  return nodes.flatMap((node) =>
    (problems.get(node.id) ?? []).map((problem) => ({ ...problem, label: labelOf(node) })),
  );
}

const MOST = 8;

function Checks({ problems }: { problems: readonly NamedProblem[] }) {
  const t = useEditorTexts('publish');
  if (problems.length === 0) return null;
  return (
    <section aria-label={t('checks')} className="rounded-m border border-warning-line bg-warning-tint p-3">
      <h3 className="font-medium">{t('found', { count: problems.length })}</h3>
      <ul className="mt-1 flex flex-col gap-1 text-sm">
        {problems.slice(0, MOST).map((problem, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a node may have the same problem twice
          <li key={index} className="flex items-start gap-1.5">
            {problem.severity === 'error' ? (
              <CircleAlert className="mt-0.5 size-3.5 shrink-0 text-danger" aria-label={t('error')} />
            ) : (
              <TriangleAlert className="mt-0.5 size-3.5 shrink-0 text-warning" aria-label={t('warning')} />
            )}
            <span>
              <span className="font-medium">{problem.label}</span>: {problem.message}
            </span>
          </li>
        ))}
      </ul>
      {problems.length > MOST ? (
        <p className="mt-1 text-sm">{t('more', { count: problems.length - MOST })}</p>
      ) : null}
    </section>
  );
}
