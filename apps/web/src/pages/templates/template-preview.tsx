import type { GraphNode } from '@millrace/contracts';
import { ClipboardCopy, Pencil, Play, Trash2 } from 'lucide-react';
import { useMe } from '../../data/session.ts';
import { type Template, useDeleteTemplate } from '../../data/templates.ts';
import { Button } from '../../ui/actions/button.tsx';
import { CodeBlock } from '../../ui/display/code-block.tsx';
import { Badge } from '../../ui/display/status-chip.tsx';
import { GraphThumbnail } from '../../ui/graph/graph-thumbnail.tsx';
import { useNodeLooks, WorkflowGlyph } from '../../ui/graph/workflow-glyph.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { useTemplatesTexts } from './texts/use-templates-texts.ts';
import { useTemplateActions } from './use-template.ts';

interface TemplatePreviewProps {
  template: Template;
  onClose: () => void;
  onEdit: () => void;
}

function useRemove(template: Template, onClose: () => void) {
  const t = useTemplatesTexts();
  const remove = useDeleteTemplate();
  return async () => {
    const sure = await confirm({
      title: t('delete_title', { name: template.name }),
      body: t('delete_body'),
      action: t('delete'),
    });
    if (!sure) return;
    await remove.mutateAsync(template).then(() => {
      onClose();
      toast.done(t('deleted', { name: template.name }));
    }, showFailure);
  };
}

/** The contents of a template, before it is used. */
export function TemplatePreview({ template, onClose, onEdit }: TemplatePreviewProps) {
  const t = useTemplatesTexts();
  const me = useMe();
  const actions = useTemplateActions();
  const remove = useRemove(template, onClose);
  const own = template.author_id === me.id;
  return (
    <Dialog
      open
      size="large"
      onOpenChange={onClose}
      title={template.name}
      description={template.description || t('by', { name: template.author_name })}
      footer={
        <>
          {own ? (
            <span className="mr-auto flex gap-1">
              <Button tone="quiet" onClick={onEdit}>
                <Pencil aria-hidden />
                {t('edit')}
              </Button>
              <Button tone="quiet-danger" onClick={() => void remove()}>
                <Trash2 aria-hidden />
                {t('delete')}
              </Button>
            </span>
          ) : null}
          <Button onClick={() => void actions.copy(template)}>
            <ClipboardCopy aria-hidden />
            {t('copy')}
          </Button>
          <Button tone="primary" busy={actions.busy} onClick={() => void actions.start(template)}>
            <Play aria-hidden />
            {t('use')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {template.kind === 'workflow' ? <Graph template={template} /> : <NodeFields template={template} />}
        <p className="flex flex-wrap items-center gap-2 text-sm text-faint">
          {template.tags.map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
          <span>{t('by', { name: template.author_name })}</span>
          <span>{t('used', { count: template.use_count })}</span>
        </p>
      </div>
    </Dialog>
  );
}

const getNodeLabel = ({ type, data }: GraphNode): string =>
  typeof data['label'] === 'string' ? data['label'] : type;

function Graph({ template }: { template: Extract<Template, { kind: 'workflow' }> }) {
  const t = useTemplatesTexts();
  const looks = useNodeLooks();
  return (
    <>
      <div className="rounded-l border border-line bg-canvas p-3">
        <GraphThumbnail
          graph={template}
          names
          label={t('picture', { count: template.nodes.length })}
          className="max-h-72 w-full"
        />
      </div>
      <ul className="grid gap-x-6 sm:grid-cols-2" aria-label={t('nodes')}>
        {template.nodes
          .filter((node) => node.type !== 'sticky')
          .map((node) => (
            <li key={node.id} className="flex h-8 min-w-0 items-center gap-2 border-b border-line">
              <WorkflowGlyph type={node.type} size="small" />
              <span className="truncate">{getNodeLabel(node)}</span>
              <span className="ml-auto truncate text-sm text-faint">
                {looks.get(node.type)?.title ?? node.type}
              </span>
            </li>
          ))}
      </ul>
    </>
  );
}

function NodeFields({ template }: { template: Extract<Template, { kind: 'node' }> }) {
  const t = useTemplatesTexts();
  return (
    <CodeBlock
      label={t('fields')}
      caption={t('fields')}
      code={JSON.stringify(template.node_data, null, 2)}
      wrap
    />
  );
}
