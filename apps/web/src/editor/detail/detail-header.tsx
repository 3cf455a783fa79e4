import type { NodeDefinition, WorkflowNode } from '@millrace/engine';
import { ChevronLeft, ChevronRight, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { getNodeLabel } from '../../lib/graph/node-label.ts';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { NodeHeader } from '../panel/frame/node-header.tsx';
import { useDetailTexts } from './texts/use-detail-texts.ts';
import type { Neighbours } from './use-neighbours.ts';

interface DetailHeaderProps {
  node: WorkflowNode;
  definition: NodeDefinition | undefined;
  neighbours: Neighbours;
  onOpen: (node_id: string) => void;
}

/** Shows what the open node is, with the ways to the next nodes and out. */
export function DetailHeader({ node, definition, neighbours, onOpen }: DetailHeaderProps) {
  const t = useDetailTexts();
  const { previous, next } = neighbours;
  return (
    <div className="shrink-0 border-b border-line">
      <NodeHeader
        node={node}
        definition={definition}
        hasKeys={false}
        heading={
          <div className="flex min-w-0 items-baseline gap-2">
            <Dialog.Title className="truncate font-mono text-base">{getNodeLabel(node)}</Dialog.Title>
            <span className="shrink-0 text-sm text-soft">{definition?.title ?? node.type}</span>
          </div>
        }
      >
        <IconButton
          label={previous ? t('previous_named', { label: getNodeLabel(previous) }) : t('previous')}
          keys="alt+PageUp"
          icon={<ChevronLeft aria-hidden />}
          disabled={!previous}
          onClick={() => previous && onOpen(previous.id)}
        />
        <IconButton
          label={next ? t('next_named', { label: getNodeLabel(next) }) : t('next')}
          keys="alt+PageDown"
          icon={<ChevronRight aria-hidden />}
          disabled={!next}
          onClick={() => next && onOpen(next.id)}
        />
        <Dialog.Close asChild>
          <IconButton label={t('close')} keys="escape" icon={<X aria-hidden />} />
        </Dialog.Close>
      </NodeHeader>
    </div>
  );
}
