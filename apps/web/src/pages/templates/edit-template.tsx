import { type Template, useUpdateTemplate } from '../../data/templates.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { TemplateDialog } from './template-dialog.tsx';
import { useTemplatesTexts } from './texts/use-templates-texts.ts';

interface EditTemplateProps {
  template: Template;
  onClose: () => void;
}

/** Changes the description of a template and who may use it, not what it contains. */
export function EditTemplate({ template, onClose }: EditTemplateProps) {
  const t = useTemplatesTexts();
  const update = useUpdateTemplate();
  const { id, kind } = template;
  return (
    <TemplateDialog
      title={t('edit')}
      initial={{ ...template, description: template.description ?? '' }}
      submit={async ({ name, description, tags, visibility, shared_with, shared_with_teams }) => {
        const body = { name, description, tags, visibility, shared_with, shared_with_teams };
        await update.mutateAsync({ id, kind, body });
        toast.done(t('saved', { name }));
      }}
      onClose={onClose}
    />
  );
}
