import type { ProposedChange, VersionDiff, Workflow } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import { Check, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useDocument } from '../../../features/document/context.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { Checkbox } from '../../../ui/forms/toggles.tsx';
import { Changes } from '../../publish/versions/changes.tsx';
import { toDocument } from '../../session/server-state.ts';
import { useEditor } from '../../state/context.tsx';
import { useAssistantTexts } from '../texts/use-assistant-texts.ts';
import { applyChanges } from './apply-changes.ts';
import { type ChangeGroup, changeGroups } from './change-groups.ts';
import { type Unsound, unsoundParts } from './soundness.ts';
import { useGroupText } from './use-group-text.ts';

interface ProposalViewProps {
  workflow: Workflow;
  proposed: ProposedChange;
  /** With the document that results, and whether it is the whole proposal. */
  onAccept: (document: WorkflowDocument, is_whole: boolean) => void;
  onReject: () => void;
}

const toJsonText = (value: unknown): string => JSON.stringify(value ?? null);

/** A value that the proposal replaces, or a node that it removes, is not as it was when the proposal was made. */
const isOutdated = ({ nodes }: WorkflowDocument, { node_changes }: ProposedChange['changes']): boolean =>
  node_changes.some(({ node_id, change_type, old_node, changes }) => {
    const now = nodes.find(({ id }) => id === node_id);
    if (change_type === 'added' || !now) return (now === undefined) !== (change_type === 'added');
    if (change_type === 'removed') return toJsonText(now.data) !== toJsonText(old_node?.data);
    return changes.some(
      ({ type, field, old_value }) =>
        type === 'field' && toJsonText(now.data[field.slice('data.'.length)]) !== toJsonText(old_value),
    );
  });

/** The changes of a proposal, drawn and field by field as between versions; it is accepted whole or in parts. */
export function ProposalView({ workflow, proposed, onAccept, onReject }: ProposalViewProps) {
  const t = useAssistantTexts();
  const { catalog } = useEditor();
  const current = useDocument(({ document }) => document);
  const groups = useMemo(() => changeGroups(proposed.changes), [proposed]);
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const { problems } = proposed.workflow;
  const isWhole = leftOut.size === 0;
  const { chosen, unsound } = useMemo(() => {
    const whole = applyChanges(current, groups);
    const part = applyChanges(
      current,
      groups.filter(({ id }) => !leftOut.has(id)),
    );
    const found = leftOut.size === 0 ? [] : unsoundParts({ current, whole, chosen: part }, catalog);
    return { chosen: part, unsound: found };
  }, [current, groups, leftOut, catalog]);
  const diff: VersionDiff = {
    ...proposed.changes,
    config_changes: [],
    version_id: workflow.version_id,
    version_number: workflow.version_number,
    compared_to_version_id: workflow.version_id,
    compared_to_version_number: null,
  };
  return (
    <section aria-label={t('proposal')} className="rounded-l border border-line-strong p-3">
      <Changes
        diff={diff}
        current={toDocument(proposed.workflow)}
        action={
          <span className="ml-auto flex flex-wrap gap-2">
            <Button
              tone="primary"
              disabled={leftOut.size === groups.length || unsound.length > 0}
              onClick={() => onAccept(chosen, isWhole)}
            >
              <Check aria-hidden />
              {t(isWhole ? 'accept' : 'accept_part')}
            </Button>
            <Button onClick={onReject}>
              <X aria-hidden />
              {t('reject')}
            </Button>
          </span>
        }
      >
        {isOutdated(current, proposed.changes) ? (
          <p className="text-sm text-warning">{t('outdated')}</p>
        ) : null}
        {groups.length > 1 ? (
          <Parts proposed={proposed} groups={groups} leftOut={leftOut} onChange={setLeftOut} />
        ) : null}
        <UnsoundList unsound={unsound} />
        {problems.length > 0 ? (
          <div className="text-sm text-soft">
            <p>{t('left')}</p>
            <ul className="list-disc pl-5">
              {problems.map(({ node_id, field, message }, at) => (
                <li key={`${node_id}.${field}.${at}`}>{message}</li>
              ))}
            </ul>
          </div>
        ) : null}
      </Changes>
    </section>
  );
}

interface PartsProps {
  proposed: ProposedChange;
  groups: readonly ChangeGroup[];
  /** Ids of the groups that are not accepted. */
  leftOut: ReadonlySet<string>;
  onChange: (leftOut: ReadonlySet<string>) => void;
}

function Parts({ proposed, groups, leftOut, onChange }: PartsProps) {
  const t = useAssistantTexts();
  const groupText = useGroupText(toDocument(proposed.workflow).nodes);
  const toggle = (id: string, isChosen: boolean) => {
    const next = new Set(leftOut);
    if (isChosen) next.delete(id);
    else next.add(id);
    onChange(next);
  };
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 text-sm font-medium">{t('choose_parts')}</legend>
      {groups.map((group) => (
        <Checkbox
          key={group.id}
          label={groupText(group)}
          checked={!leftOut.has(group.id)}
          onChange={(isChosen) => toggle(group.id, isChosen)}
        />
      ))}
    </fieldset>
  );
}

function UnsoundList({ unsound }: { unsound: readonly Unsound[] }) {
  const t = useAssistantTexts();
  if (unsound.length === 0) return null;
  return (
    <div role="alert" className="text-sm text-danger">
      <p>{t('unsound')}</p>
      <ul className="list-disc pl-5">
        {unsound.map((reason, at) => (
          <li key={at}>
            {reason.kind === 'problem'
              ? reason.message
              : t('reads_missing', { reader: reason.reader, missing: reason.missing })}
          </li>
        ))}
      </ul>
    </div>
  );
}
