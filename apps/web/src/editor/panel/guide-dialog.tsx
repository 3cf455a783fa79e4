import type { NodeDefinition } from '@millrace/engine';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { lazy } from '../../lib/code/lazy.ts';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { usePanelTexts } from './texts/use-panel-texts.ts';

const MarkdownView = lazy(() => import('../../ui/results/markdown.tsx'));

/** Guides as the packages of the node types write them; each is loaded when it is read. */
const GUIDES = import.meta.glob<string>('../../../../../packages/nodes/src/*/guide.md', {
  query: '?raw',
  import: 'default',
});

const toFolderName = (type: string): string => type.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const findGuide = (type: string): (() => Promise<string>) | undefined =>
  Object.entries(GUIDES).find(([path]) => path.endsWith(`/${toFolderName(type)}/guide.md`))?.[1];

/** Headings below the title of the dialog; the title is there already. */
const body = (guide: string): string =>
  guide.replace(/^# .*\n+/, '').replaceAll('```json example', '```json');

interface GuideDialogProps {
  definition: NodeDefinition;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Explains what a node type is for, what its fields mean and what it gives, with an example. */
export function GuideDialog({ definition, open, onOpenChange }: GuideDialogProps) {
  const t = usePanelTexts('panel');
  const guide = useQuery({
    queryKey: ['guide', definition.type],
    queryFn: () => findGuide(definition.type)?.() ?? '',
    enabled: open,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Dialog open={open} onOpenChange={onOpenChange} size="large" title={definition.title}>
      {guide.error ? <p className="text-danger">{t('guide_failed')}</p> : null}
      <Suspense fallback={<SkeletonRows rows={8} />}>
        {guide.data === undefined ? <SkeletonRows rows={8} /> : <MarkdownView text={body(guide.data)} />}
      </Suspense>
    </Dialog>
  );
}
