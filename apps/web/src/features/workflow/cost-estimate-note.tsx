import type { CostEstimate } from '@millrace/contracts';
import { useLocale } from 'use-intl';
import { useCostEstimate } from '../../data/costs.ts';
import { costText } from '../../lib/cost-text.ts';
import { useWorkflowTexts } from './texts/use-workflow-texts.ts';

/** Two digits are enough for what is about right: 0.4137 becomes 0.42, so that the estimate is not below what it stands for. */
export function roundedUp(usd: number): number {
  if (usd <= 0) return 0;
  const unit = 10 ** (Math.floor(Math.log10(usd)) - 1);
  // Without the first rounding 0.29 would become 0.30: its quotient is 28.999999999999996 or a little above 29.
  return Number((Math.ceil(Number((usd / unit).toPrecision(12))) * unit).toPrecision(12));
}

interface CostEstimateNoteProps {
  id: string;
  /** Also says why there is no estimate, and what it comes from. */
  detailed?: boolean;
}

/** The most that a run will probably cost; nothing for a workflow that calls no models. */
export function CostEstimateNote({ id, detailed = false }: CostEstimateNoteProps) {
  const { data } = useCostEstimate(id);
  return data ? <Shown estimate={data} detailed={detailed} /> : null;
}

function Shown({ estimate, detailed }: { estimate: CostEstimate; detailed: boolean }) {
  const t = useWorkflowTexts();
  const locale = useLocale();
  const { basis, up_to_usd, median_usd, runs, unlimited_nodes, unpriced_nodes, starting_nodes } = estimate;
  const money = (usd: number) => costText(roundedUp(usd), locale);
  const lines: string[] = [];
  if (basis === 'runs') {
    lines.push(t('estimate_from_runs', { count: runs, median: money(median_usd ?? 0) }));
  } else if (basis === 'limits') {
    lines.push(t('estimate_from_limits'));
  } else if (unlimited_nodes.length > 0) {
    lines.push(t('estimate_needs_limits', { nodes: unlimited_nodes.join(', ') }));
  }
  if (unpriced_nodes.length > 0)
    lines.push(t('estimate_unpriced', { nodes: unpriced_nodes.join(', '), count: unpriced_nodes.length }));
  // Without an estimate there is nothing that would lack them.
  if (starting_nodes.length > 0 && up_to_usd !== null)
    lines.push(t('estimate_starting', { nodes: starting_nodes.join(', '), count: starting_nodes.length }));
  if (up_to_usd === null && (!detailed || lines.length === 0)) return null;
  return (
    <div className="text-sm text-soft">
      {up_to_usd === null ? null : (
        <p title={detailed ? undefined : lines.join(' ')}>
          {t('estimate', { cost: money(up_to_usd) })}
          {detailed ? null : <span className="sr-only"> {lines.join(' ')}</span>}
        </p>
      )}
      {detailed ? lines.map((line) => <p key={line}>{line}</p>) : null}
    </div>
  );
}
