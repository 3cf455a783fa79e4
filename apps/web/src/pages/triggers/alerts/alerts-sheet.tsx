import type { Alert } from '@millrace/contracts';
import { SECOND_MS } from '@millrace/engine/units';
import { Link } from '@tanstack/react-router';
import { BellRing, CircleAlert, CircleCheck, CirclePause, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { useAlerts, useDeleteAlert } from '../../../data/alerts.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { IconButton } from '../../../ui/actions/icon-button.tsx';
import { EmptyState, LoadFailed } from '../../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../../ui/display/skeleton.tsx';
import { Chip, type Looks } from '../../../ui/display/status-chip.tsx';
import { Ago } from '../../../ui/display/time.tsx';
import { confirm } from '../../../ui/overlays/confirm-store.ts';
import { Sheet } from '../../../ui/overlays/dialog.tsx';
import { showFailure } from '../../../ui/overlays/toast.ts';
import { useTriggersTexts } from '../texts/use-triggers-texts.ts';
import { AlertDialog } from './alert-dialog.tsx';

const LOOKS: Looks<'ok' | 'firing' | 'off'> = {
  ok: { icon: CircleCheck, tone: 'success' },
  firing: { icon: CircleAlert, tone: 'danger' },
  off: { icon: CirclePause, tone: 'neutral' },
};

function useConditionText(): (alert: Alert) => string {
  const t = useTriggersTexts();
  const format = useFormatter();
  return ({ kind, threshold, window_minutes }) => {
    const value = kind === 'duration' ? (threshold ?? 0) / SECOND_MS : (threshold ?? 0);
    return t(`alert_condition_${kind}`, {
      threshold: format.number(value, { maximumFractionDigits: 2 }),
      minutes: window_minutes,
    });
  };
}

function AlertItem({ alert, onEdit }: { alert: Alert; onEdit: () => void }) {
  const t = useTriggersTexts();
  const ui = useTranslations('ui');
  const describeCondition = useConditionText();
  const { mutate: remove } = useDeleteAlert();
  const { id, name, active, last_run_id, last_started_at, problem } = alert;
  const state = active ? alert.state : 'off';
  const onDelete = async () => {
    const sure = await confirm({
      title: t('alert_delete_title', { name }),
      action: ui('delete'),
      tone: 'danger',
    });
    if (sure) remove(id, { onError: showFailure });
  };
  return (
    <li className="flex items-start gap-3 border-b border-line px-4 py-3">
      <div className="min-w-0 grow">
        <div className="flex flex-wrap items-center gap-2">
          <h3 className="truncate font-medium">{name}</h3>
          <Chip {...LOOKS[state]} word={t(`alert_state_${state}`)} look="line" />
        </div>
        <p className="text-sm text-soft">
          {t('alert_of', { workflow: alert.workflow_name, condition: describeCondition(alert) })}
        </p>
        <p className="text-sm text-soft">{t('alert_starts', { workflow: alert.target_workflow_name })}</p>
        {last_run_id && last_started_at ? (
          <p className="text-sm text-faint">
            <Link to="/runs/$id" params={{ id: last_run_id }} className="underline">
              {t('alert_last_start')}
            </Link>{' '}
            <Ago at={last_started_at} />
          </p>
        ) : null}
        {problem ? <p className="text-sm text-danger">{problem}</p> : null}
      </div>
      <IconButton
        size="small"
        label={t('alert_edit_named', { name })}
        icon={<Pencil aria-hidden />}
        onClick={onEdit}
      />
      <IconButton
        size="small"
        label={t('alert_delete_named', { name })}
        icon={<Trash2 aria-hidden />}
        onClick={() => void onDelete()}
      />
    </li>
  );
}

function AlertList({ onEdit }: { onEdit: (alert: Alert | 'new') => void }) {
  const t = useTriggersTexts();
  const query = useAlerts();
  const add = (
    <Button tone="primary" onClick={() => onEdit('new')}>
      <Plus aria-hidden />
      {t('alert_new')}
    </Button>
  );
  if (query.isPending) return <SkeletonRows rows={4} />;
  if (query.isLoadingError) return <LoadFailed error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data.length === 0)
    return (
      <EmptyState icon={<BellRing aria-hidden />} title={t('alert_none')} actions={add}>
        {t('alert_none_hint')}
      </EmptyState>
    );
  return (
    <>
      <div className="flex justify-end px-4 pt-3">{add}</div>
      <ul>
        {query.data.map((alert) => (
          <AlertItem key={alert.id} alert={alert} onEdit={() => onEdit(alert)} />
        ))}
      </ul>
    </>
  );
}

/** The button of the page, with the list and the form behind it. */
export function Alerts() {
  const t = useTriggersTexts();
  const [open, setOpen] = useState(false);
  const [edited, setEdited] = useState<Alert | 'new'>();
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <BellRing aria-hidden />
        {t('alerts')}
      </Button>
      <Sheet
        open={open && edited === undefined}
        onOpenChange={setOpen}
        title={t('alerts')}
        description={t('alerts_hint')}
      >
        <AlertList onEdit={setEdited} />
      </Sheet>
      {edited === undefined ? null : (
        <AlertDialog
          key={edited === 'new' ? 'new' : edited.id}
          alert={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
}
