import type { Problem } from '@millrace/engine';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import { useDocument, useProblems } from '../../features/document/context.ts';
import { getNodeLabel } from '../../lib/graph/node-label.ts';
import { useEditorTexts } from '../texts/use-editor-texts.ts';

interface NamedProblem extends Problem {
  readonly label: string;
}

/** The problems of the draft, with the nodes that have them. */
export function useNamedProblems(): readonly NamedProblem[] {
  const problems = useProblems();
  const nodes = useDocument((state) => state.document.nodes);
  return nodes.flatMap((node) =>
    (problems.get(node.id) ?? []).map((problem) => ({ ...problem, label: getNodeLabel(node) })),
  );
}

const MOST = 8;

export function Checks({ problems }: { problems: readonly NamedProblem[] }) {
  const t = useEditorTexts('publish');
  if (problems.length === 0) return null;
  return (
    <section aria-label={t('checks')} className="rounded-m border border-warning-line bg-warning-tint p-3">
      <h3 className="font-medium">{t('found', { count: problems.length })}</h3>
      <ul className="mt-1 flex flex-col gap-1 text-sm">
        {problems.slice(0, MOST).map((problem, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a node may have the same problem twice
          <li key={index} className="flex items-start gap-1.5">
            {problem.severity === 'error' ? (
              <CircleAlert className="mt-0.5 size-3.5 shrink-0 text-danger" aria-label={t('error')} />
            ) : (
              <TriangleAlert className="mt-0.5 size-3.5 shrink-0 text-warning" aria-label={t('warning')} />
            )}
            <span>
              <span className="font-medium">{problem.label}</span>: {problem.message}
            </span>
          </li>
        ))}
      </ul>
      {problems.length > MOST ? (
        <p className="mt-1 text-sm">{t('more', { count: problems.length - MOST })}</p>
      ) : null}
    </section>
  );
}
