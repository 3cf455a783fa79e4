import type { WorkflowSummary } from '@millrace/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useCreateWorkflowTemplate } from '../../data/templates.ts';
import { useWorkflows, workflowQuery } from '../../data/workflows.ts';
import { bestMatches } from '../../lib/fuzzy.ts';
import { SearchInput } from '../../ui/forms/input.tsx';
import { WorkflowGlyph } from '../../ui/graph/workflow-glyph.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { NO_SETTINGS, TemplateDialog } from './template-dialog.tsx';
import { useTemplatesTexts } from './texts/use-templates-texts.ts';

const SHOWN = 50;

/** Makes a template of a workflow: first which, then how it is called and who sees it. */
export function NewTemplate({ workflow, onClose }: { workflow?: WorkflowSummary; onClose: () => void }) {
  const t = useTemplatesTexts();
  const client = useQueryClient();
  const create = useCreateWorkflowTemplate();
  const { data: workflows = [] } = useWorkflows();
  const [words, setWords] = useState('');
  const [chosen, setChosen] = useState(workflow);
  if (chosen) {
    return (
      <TemplateDialog
        title={t('new')}
        initial={{ ...NO_SETTINGS, name: chosen.name, description: chosen.description ?? '' }}
        submit={async (settings) => {
          const { nodes, edges } = await client.fetchQuery(workflowQuery(chosen.id));
          await create.mutateAsync({ ...settings, nodes, edges });
          toast.done(t('created', { name: settings.name }));
        }}
        onClose={onClose}
      />
    );
  }
  const found = bestMatches(workflows, words, ({ name, description }) => [name, description ?? '']).slice(
    0,
    SHOWN,
  );
  return (
    <Dialog open onOpenChange={onClose} title={t('new')} description={t('new_hint')}>
      <SearchInput autoFocus value={words} onChange={setWords} label={t('find_workflow')} />
      <ul className="-mx-2 mt-2 max-h-80 overflow-y-auto" aria-label={t('workflows')}>
        {found.map((workflow) => (
          <li key={workflow.id}>
            <button
              type="button"
              className="flex min-h-9 w-full items-center gap-2.5 rounded-m px-2 text-left hover:bg-hover"
              onClick={() => setChosen(workflow)}
            >
              <WorkflowGlyph type={workflow.first_node_type} size="small" />
              <span className="truncate">{workflow.name}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
