import type { WorkflowSummary } from '@millrace/contracts';
import { Command } from 'cmdk';
import { Workflow } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useWorkflowPins } from '../../data/workflow-pins.ts';
import { useWorkflows } from '../../data/workflows.ts';
import { bestMatches } from '../../lib/fuzzy.ts';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { ChoiceRow, ChoiceSearch, NOTHING_FOUND } from '../../ui/forms/choice-search.tsx';
import { WorkflowGlyph } from '../../ui/graph/workflow-glyph.tsx';
import { useQuickDrawerTexts } from './texts/use-quick-drawer-texts.ts';

/** More would take longer to draw than to type a further letter. */
const SHOWN = 50;
const HEADING =
  '[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-sm [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-faint';

/** Pinned workflows first, then the others, found by typing. */
export function WorkflowChoice({ onChoose }: { onChoose: (id: string) => void }) {
  const t = useQuickDrawerTexts();
  const query = useWorkflows();
  if (query.isPending) return <SkeletonRows rows={8} />;
  if (query.isLoadingError) return <LoadFailed error={query.error} onRetry={() => void query.refetch()} />;
  const workflows = query.data.filter(({ scheduled_for_deletion }) => scheduled_for_deletion === null);
  if (workflows.length === 0)
    return (
      <EmptyState icon={<Workflow aria-hidden />} title={t('none')}>
        {t('none_hint')}
      </EmptyState>
    );
  return <Choices workflows={workflows} onChoose={onChoose} />;
}

interface ChoicesProps {
  workflows: readonly WorkflowSummary[];
  onChoose: (id: string) => void;
}

function Choices({ workflows, onChoose }: ChoicesProps) {
  const t = useQuickDrawerTexts();
  const ui = useTranslations('ui');
  const pins = useWorkflowPins();
  const [words, setWords] = useState('');
  const found = useMemo(
    () => bestMatches(workflows, words, ({ name, description }) => [name, description ?? '']),
    [workflows, words],
  );
  const pinned = pins.flatMap((id) => found.find((workflow) => workflow.id === id) ?? []);
  const others = found.filter(({ id }) => !pins.includes(id));
  const hidden = others.length - SHOWN;
  const row = ({ id, name, description, first_node_type }: WorkflowSummary) => (
    <ChoiceRow
      key={id}
      id={id}
      label={name}
      hint={description ?? undefined}
      icon={<WorkflowGlyph type={first_node_type} size="small" />}
      chosen={false}
      onChoose={() => onChoose(id)}
    />
  );
  return (
    <ChoiceSearch label={t('choose')} words={words} onWords={setWords} className="h-full">
      <Command.Empty className={NOTHING_FOUND}>{ui('nothing_found')}</Command.Empty>
      {pinned.length > 0 ? (
        <Command.Group heading={ui('pinned')} className={HEADING}>
          {pinned.map(row)}
        </Command.Group>
      ) : null}
      {others.length > 0 ? (
        <Command.Group heading={t('others')} className={HEADING}>
          {others.slice(0, SHOWN).map(row)}
        </Command.Group>
      ) : null}
      {hidden > 0 ? (
        <p className="px-2 py-1.5 text-sm text-faint">{ui('more_choices', { count: hidden })}</p>
      ) : null}
    </ChoiceSearch>
  );
}
