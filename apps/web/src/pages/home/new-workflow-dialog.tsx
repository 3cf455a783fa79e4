import { createWorkflow } from '@millrace/contracts';
import { useNavigate } from '@tanstack/react-router';
import { RadioGroup } from 'radix-ui';
import { useMoveWorkflow } from '../../data/folders.ts';
import { useCreateWorkflow } from '../../data/workflows.ts';
import { NameField } from '../../ui/forms/name-fields.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { NodeGlyph } from '../../ui/graph/node-glyph.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { QUICK_STARTS, type QuickStart } from './quick-starts.ts';
import { useHomeTexts } from './texts/use-home-texts.ts';

interface NewWorkflowDialogProps {
  folder: string | undefined;
  onClose: () => void;
}

/** Asks for a name and a beginning, then opens the editor. */
export function NewWorkflowDialog({ folder, onClose }: NewWorkflowDialogProps) {
  const t = useHomeTexts();
  const navigate = useNavigate();
  const create = useCreateWorkflow();
  const move = useMoveWorkflow();
  const form = useForm<{ name: string; start: QuickStart['name'] }>({
    initial: { name: '', start: 'blank' },
    schema: createWorkflow.body,
    toBody: ({ name }) => ({ name }),
    submit: async ({ name, start }) => {
      const graph = QUICK_STARTS.find((candidate) => candidate.name === start);
      const made = await create.mutateAsync({ name, nodes: graph?.nodes ?? [], edges: graph?.edges ?? [] });
      if (folder) await move.mutateAsync({ id: made.id, folder_id: folder });
      onClose();
      await navigate({ to: '/workflows/$id', params: { id: made.id } });
    },
  });
  return (
    <FormDialog form={form} title={t('new_workflow')} action={t('create')} onClose={onClose}>
      <NameField form={form} placeholder={t('name_example')} />
      <RadioGroup.Root
        aria-label={t('start_with')}
        value={form.values.start}
        onValueChange={(start) => form.change({ start: start as QuickStart['name'] })}
        className="grid gap-2 sm:grid-cols-3"
      >
        {QUICK_STARTS.map((start) => (
          <RadioGroup.Item
            key={start.name}
            value={start.name}
            className="flex flex-col items-start gap-2 rounded-l border border-line-strong p-3 text-left hover:bg-hover data-[state=checked]:border-accent data-[state=checked]:bg-accent-tint max-sm:flex-row"
          >
            <NodeGlyph icon={start.icon} family={start.family} />
            <span>
              <span className="block font-medium">{t(`start_${start.name}`)}</span>
              <span className="block text-sm text-soft">{t(`start_${start.name}_hint`)}</span>
            </span>
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
    </FormDialog>
  );
}
