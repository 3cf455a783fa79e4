import type { Json, MissingReference, WorkflowNode } from '@millrace/engine';
import { isJsonObject } from '@millrace/engine/json';
import { CircleAlert, Lightbulb, StepForward, Wand2 } from 'lucide-react';
import { useMemo } from 'react';
import { getNodeLabel } from '../../lib/graph/node-label.ts';
import { Button } from '../../ui/actions/button.tsx';
import { useOpenDocument } from '../document/context.ts';
import { same } from '../document/same.ts';
import { useKnown } from '../known-values/use-known.ts';
import type { NodeRecord } from '../run-view/run-store.ts';
import { type ExplainedField, explainFields } from './explain-fields.ts';
import { useFailureActions } from './failure-actions.ts';
import { withSuggestion } from './suggestion.ts';
import { useRanNodeTexts } from './texts/use-ran-node-texts.ts';
import { useRanNode } from './use-ran-node.ts';

const LONGEST = 90;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? '—';
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** The parameter with a better text in the place of an expression. */
function fixed(node: WorkflowNode, { place, text }: ExplainedField, missing: MissingReference) {
  const better = withSuggestion(text, missing);
  const stored = node.data[place.name];
  const value: Json =
    place.row === undefined || !Array.isArray(stored)
      ? better
      : stored.map((row, index) =>
          index === place.row && isJsonObject(row) ? { ...row, value: better } : row,
        );
  return { name: place.name, value };
}

interface FailureCardProps {
  /** As it is now. */
  node: WorkflowNode;
  record: NodeRecord;
  attempt: number;
  attempts: number;
  /** Rounds of the loops around it. */
  round: string;
}

/** Why a node failed: its message, and every expression with the value of each of its parts in this run. */
export function FailureCard({ node, record, attempt, attempts, round }: FailureCardProps) {
  const t = useRanNodeTexts('failure');
  const { catalog } = useOpenDocument();
  const { resume, fix, busy } = useFailureActions();
  const known = useKnown(node.id, round);
  const ran = useRanNode(node.id);
  const fields = useMemo(
    () => (ran ? explainFields(catalog, ran, { scope: known.scope, names: Object.keys(known.values) }) : []),
    [catalog, ran, known],
  );
  return (
    <section aria-label={t('label', { label: getNodeLabel(node) })} className="border-b border-line">
      <div role="alert" className="border-b border-danger-line bg-danger-tint px-3.5 py-2.5">
        <p className="flex items-center gap-1.5 text-sm font-medium text-danger">
          <CircleAlert className="size-4 shrink-0" aria-hidden />
          {attempts > 1
            ? t('failed_attempt', { label: getNodeLabel(node), attempt, attempts })
            : t('failed', { label: getNodeLabel(node) })}
        </p>
        <p className="mt-1 text-base break-words text-text">{record.error ?? t('no_message')}</p>
        <Button
          size="small"
          className="mt-2"
          disabled={busy}
          title={t('resume_hint')}
          onClick={() => resume(node.id)}
        >
          <StepForward aria-hidden />
          {t('resume')}
        </Button>
      </div>
      {fields.length > 0 ? (
        <ul className="flex max-h-[46vh] flex-col gap-3 overflow-auto px-3.5 py-3">
          {fields.map((field) => (
            <li key={field.title}>
              <ExplainedExpression
                field={field}
                changed={!same(node.data[field.place.name], ran?.data[field.place.name])}
                onFix={(missing) => fix(node, fixed(node, field, missing))}
              />
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}

interface ExplainedExpressionProps {
  field: ExplainedField;
  /** The node has something else there now. */
  changed: boolean;
  onFix: (missing: MissingReference) => void;
}

function ExplainedExpression({ field, changed, onFix }: ExplainedExpressionProps) {
  const t = useRanNodeTexts('failure');
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <p className="text-sm font-medium">{field.title}</p>
      <pre className="overflow-auto rounded-m border border-line bg-sunken px-2.5 py-1.5 text-sm whitespace-pre-wrap">
        {field.text}
      </pre>
      {changed ? <p className="text-sm text-soft">{t('changed')}</p> : null}
      {field.error ? <p className="text-sm text-danger">{field.error}</p> : null}
      {field.missing.map((missing) => (
        <div
          key={`${missing.start}`}
          className="flex items-start gap-2 rounded-m border border-warning-line bg-warning-tint px-2.5 py-1.5 text-sm"
        >
          <Lightbulb className="mt-0.5 size-4 shrink-0 text-warning" aria-hidden />
          <span className="min-w-0 grow break-words">
            {t('missing', { reference: missing.text, part: missing.missing })}
            {missing.suggestion === null && missing.available.length > 0
              ? ` ${t('available', { names: missing.available.slice(0, 8).join(', ') })}`
              : null}
          </span>
          {missing.suggestion === null || changed ? null : (
            <Button size="small" onClick={() => onFix(missing)}>
              <Wand2 aria-hidden />
              {t('use', { suggestion: missing.suggestion })}
            </Button>
          )}
        </div>
      ))}
      {field.parts.length > 0 ? (
        <table className="w-full table-fixed text-sm">
          <caption className="sr-only">{t('parts', { field: field.title })}</caption>
          <tbody>
            {field.parts.map((part) => (
              <tr key={`${part.start}-${part.end}`} className="border-t border-line align-top first:border-0">
                <th
                  scope="row"
                  className="w-[45%] py-1 pr-2 text-left font-mono font-normal break-words text-soft"
                  style={{ paddingLeft: part.depth * 10 }}
                >
                  {part.text}
                </th>
                <td className="py-1 font-mono break-words">
                  {part.failure ? <span className="text-danger">{part.failure}</span> : shown(part.value)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </div>
  );
}
