import type { Trigger } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { buttonStyle } from '../../ui/actions/button.tsx';
import { DateTime, Duration } from '../../ui/display/time.tsx';
import { useTriggersTexts } from './texts/use-triggers-texts.ts';
import { TriggerStateChip } from './trigger-state.tsx';

const LATE_MS = 5_000;

/** The state of one trigger, and since when. */
export function TriggerDetail({ trigger }: { trigger: Trigger }) {
  const t = useTriggersTexts();
  const rows: [string, ReactNode][] = [
    [t('state'), <TriggerStateChip key="state" state={trigger.state} />],
    [t('since'), <DateTime key="since" at={trigger.paused_at ?? trigger.state_since} seconds />],
    [t('next_due'), trigger.next_due_at && <DateTime at={trigger.next_due_at} seconds />],
    [t('lag'), trigger.lag_ms >= LATE_MS && <Duration ms={trigger.lag_ms} />],
    [t('last_event'), trigger.last_event_at && <DateTime at={trigger.last_event_at} seconds />],
    [t('failures'), trigger.failures_in_a_row > 0 && trigger.failures_in_a_row],
    [t('last_error_at'), trigger.last_error_at && <DateTime at={trigger.last_error_at} seconds />],
    [t('error'), trigger.last_error],
    [t('node'), <code key="node">{trigger.node_id}</code>],
    [t('hosted_by'), trigger.hosted_by],
  ];
  return (
    <div className="flex flex-col gap-5 p-4">
      <dl className="grid grid-cols-[130px_minmax(0,1fr)] gap-y-1.5 [&_dd]:break-words [&_dt]:text-faint">
        {rows.map(([name, value]) =>
          value === null || value === false || value === '' ? null : (
            <div key={name} className="contents">
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
      <div className="flex gap-2">
        <Link
          to="/workflows/$id"
          params={{ id: trigger.workflow_id }}
          className={buttonStyle({ tone: 'plain' })}
        >
          {t('open_workflow')}
        </Link>
        <Link
          to="/runs"
          search={{ workflow: trigger.workflow_id }}
          className={buttonStyle({ tone: 'plain' })}
        >
          {t('show_runs')}
        </Link>
      </div>
    </div>
  );
}
