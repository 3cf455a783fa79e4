import type { WorkflowDocument } from '@millrace/engine';
import { useNavigate } from '@tanstack/react-router';
import { type Template, useCountUse } from '../../data/templates.ts';
import { useCreateWorkflow } from '../../data/workflows.ts';
import { withNewAddresses } from '../../lib/graph/node-addresses.ts';
import { copyText } from '../../ui/actions/copy-text.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { useTemplatesTexts } from './texts/use-templates-texts.ts';

/** The graph that a new workflow takes from a template; a node template gives a graph of one node. */
export function toGraph(template: Template): { nodes: unknown[]; edges: unknown[] } {
  if (template.kind === 'workflow') return { nodes: template.nodes, edges: template.edges };
  const node = {
    id: 'node-1',
    type: template.node_type,
    position: { x: 120, y: 160 },
    data: template.node_data,
  };
  return { nodes: [node], edges: [] };
}

/** Two workflows of one template have different addresses. The page shows templates without the catalog of nodes. */
async function createGraph(template: Template): Promise<WorkflowDocument> {
  const { catalog } = await import('@millrace/nodes/catalog');
  return withNewAddresses(catalog, toGraph(template) as WorkflowDocument);
}

export function useTemplateActions() {
  const t = useTemplatesTexts();
  const navigate = useNavigate();
  const create = useCreateWorkflow();
  const count = useCountUse();
  const failed = (error: unknown) => toast.failed(error instanceof Error ? error.message : String(error));
  return {
    busy: create.isPending,
    /** A new workflow with the template's graph, opened in the editor. */
    start: async (template: Template) => {
      try {
        const made = await create.mutateAsync({
          name: template.name,
          ...(template.description ? { description: template.description } : {}),
          ...(await createGraph(template)),
        });
        count.mutate(template);
        await navigate({ to: '/workflows/$id', params: { id: made.id } });
      } catch (error) {
        failed(error);
      }
    },
    /** As text that can be pasted on a canvas. */
    copy: async (template: Template) => {
      if (!(await copyText(JSON.stringify(toGraph(template), null, 2)))) return;
      count.mutate(template);
      toast.done(t('copied'));
    },
  };
}
