import type { Workflow } from '@millrace/contracts';
import { type ComponentProps, type ReactNode, useEffect, useState } from 'react';
import { useDraftDiff } from '../../data/versions.ts';
import { useDocument } from '../../features/document/context.ts';
import { isUnsaved } from '../../features/document/store.ts';
import { Button } from '../../ui/actions/button.tsx';
import { Keys } from '../../ui/display/keys.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { TextArea } from '../../ui/forms/input.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import type { Saving } from '../session/saving.ts';
import { toDocument } from '../session/server-state.ts';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import { Checks, useNamedProblems } from './checks.tsx';
import { GateSuites } from './gate.tsx';
import { useGate } from './use-gate.ts';
import { usePublication } from './use-publication.ts';
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
  const problems = useNamedProblems();
  const unsaved = useDocument(isUnsaved);
  const { save } = saving;
  // The draft is published as the server has it.
  useEffect(() => void save(), [save]);
  const { version_id, published } = workflow;
  const diff = useDraftDiff(workflow, version_id, !unsaved);
  const { publish, discard, refused, forgetRefusal } = usePublication({ workflow, saving, onClose });
  const gated = useGate({
    workflow,
    unsaved,
    onRun: forgetRefusal,
    publish: (override_reason) => publish.mutate({ note, override_reason }),
  });
  const { gate, step, reason, setReason } = gated;
  const hasErrors = problems.some(({ severity }) => severity === 'error');
  const isBlocked = unsaved || gated.isBlocked;
  const go = () => (isBlocked || publish.isPending || gated.busy ? undefined : gated.go());
  const ways = {
    run: gateTexts('run'),
    override: gateTexts('publish'),
    publish: t(hasErrors ? 'publish_anyway' : 'publish'),
  };
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
              onClick={() => {
                gated.forgetProblem();
                discard.mutate();
              }}
            >
              {t('discard')}
            </Button>
          ) : null}
          {gated.mayOverride ? (
            <Button onClick={() => setReason(step === 'override' ? undefined : '')}>
              {gateTexts(step === 'override' ? 'back' : 'override')}
            </Button>
          ) : null}
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button
            type="submit"
            form={FORM}
            tone="primary"
            busy={publish.isPending || (step === 'run' && gated.busy)}
            disabled={isBlocked}
          >
            {ways[step]}
            <Keys keys="mod+enter" inverse />
          </Button>
        </>
      }
    >
      <PublishForm problem={gated.problem ?? refused} onSubmit={go}>
        <Field label={t('note')} hint={t('note_hint')} optional>
          {(control) => <LongText {...control} autoFocus value={note} onWrite={setNote} />}
        </Field>
        {reason === undefined ? null : (
          <Field label={gateTexts('reason')} hint={gateTexts('reason_hint')} required>
            {(control) => <LongText {...control} value={reason} onWrite={setReason} />}
          </Field>
        )}
        {gate && gate.suites.length > 0 ? <GateSuites gate={gate} /> : null}
        {gated.busy ? <p className="text-sm text-soft">{gateTexts('leave')}</p> : null}
        <Checks problems={problems} />
        {diff.data ? <Changes diff={diff.data} current={toDocument(workflow)} /> : <SkeletonRows rows={4} />}
      </PublishForm>
    </Dialog>
  );
}

interface PublishFormProps {
  problem: string | undefined;
  onSubmit: () => void;
  children: ReactNode;
}

/** Also submitted by the shortcut from any of its fields. */
function PublishForm({ problem, onSubmit, children }: PublishFormProps) {
  return (
    <form
      id={FORM}
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        onSubmit();
      }}
    >
      {problem ? (
        <p role="alert" className="text-sm text-danger">
          {problem}
        </p>
      ) : null}
      {children}
    </form>
  );
}

interface LongTextProps extends Omit<ComponentProps<typeof TextArea>, 'onChange'> {
  onWrite: (text: string) => void;
}

const LongText = ({ onWrite, ...control }: LongTextProps) => (
  <TextArea
    {...control}
    rows={2}
    maxLength={LONGEST_NOTE}
    onChange={(event) => onWrite(event.target.value)}
  />
);
