import type { VersionDiff } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import { printValue } from '@millrace/engine/json';
import type { ReactNode } from 'react';
import { getNodeLabel } from '../../../lib/graph/node-label.ts';
import { Badge } from '../../../ui/display/status-chip.tsx';
import { DiffCanvas } from './diff-canvas.tsx';
import { useVersionsTexts } from './texts/use-versions-texts.ts';

const LONGEST = 400;

function shownValue(value: unknown): string {
  if (value === undefined || value === null) return '—';
  const text = printValue(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

interface ChangesProps {
  diff: VersionDiff;
  /** The newer of the two. */
  current: WorkflowDocument;
  /** Beside the counts. */
  action?: ReactNode;
  /** Under the counts. */
  children?: ReactNode;
}

/** The differences between two states of a workflow: counted, drawn, and field by field. */
export function Changes({ diff, current, action, children }: ChangesProps) {
  const t = useVersionsTexts();
  const { node_changes, edge_changes, config_changes } = diff;
  const count = (type: 'added' | 'removed' | 'modified') =>
    node_changes.filter((node) => node.change_type === type).length;
  const fields = node_changes.flatMap((node) =>
    node.changes.map((change) => ({
      ...change,
      key: `${node.node_id}.${change.field}`,
      label: node.new_node ? getNodeLabel(node.new_node) : node.node_id,
    })),
  );
  const settings = config_changes.map((change) => ({
    ...change,
    key: change.field,
    label: t('settings'),
  }));
  return (
    <section className="flex min-w-0 flex-col gap-3" aria-label={t('changes')}>
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone="success">{t('added', { count: count('added') })}</Badge>
        <Badge tone="warning">{t('modified', { count: count('modified') })}</Badge>
        <Badge tone="danger">{t('removed', { count: count('removed') })}</Badge>
        {action}
      </div>
      {children}
      <DiffCanvas diff={diff} current={current} />
      {fields.length + config_changes.length + edge_changes.length === 0 ? (
        <p className="text-sm text-faint">{t('nothing_else')}</p>
      ) : null}
      {edge_changes.length > 0 ? (
        <p className="text-sm text-soft">{t('edges_changed', { count: edge_changes.length })}</p>
      ) : null}
      <table className="w-full table-fixed text-sm">
        <caption className="sr-only">{t('changes')}</caption>
        <tbody>
          {[...fields, ...settings].map((change) => (
            <tr key={change.key} className="border-b border-line align-top">
              <th scope="row" className="w-44 py-1 pr-3 text-left font-medium break-words">
                {change.label}.{change.field.replace(/^data\./, '')}
              </th>
              <td className="py-1 pr-3 font-mono break-words">
                <del className="text-danger no-underline">{shownValue(change.old_value)}</del>
              </td>
              <td className="py-1 font-mono break-words">
                <ins className="text-success no-underline">{shownValue(change.new_value)}</ins>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
