import { diffVersion, listVersions, revertVersion, type Workflow } from '@millrace/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { api } from '../../data/api.ts';
import { keys } from '../../data/keys.ts';
import { Button } from '../../ui/actions/button.tsx';
import { Badge } from '../../ui/display/status-chip.tsx';
import { DateTime } from '../../ui/display/time.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { useDocument, useEditor } from '../context.tsx';
import { labelOf } from '../document/edit.ts';
import { dropDraft } from '../session/draft.ts';
import { documentOf } from '../session/use-saving.ts';
import { isUnsaved } from '../store.ts';
import { DiffCanvas } from './diff-canvas.tsx';

interface VersionsDialogProps {
  workflow: Workflow;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Former versions, what changed since each, drawn on the canvas, and one click to go back. */
export function VersionsDialog({ workflow, open, onOpenChange }: VersionsDialogProps) {
  const t = useTranslations('editor.versions');
  const client = useQueryClient();
  const { store } = useEditor();
  const [chosen, setChosen] = useState<string>();
  const params = { id: workflow.id };
  const versions = useQuery({
    queryKey: [...keys.workflow(workflow.id), 'versions', workflow.version_id],
    queryFn: () => api(listVersions, { params, query: { limit: 100 } }),
    enabled: open,
  });
  const shown = chosen ?? versions.data?.[0]?.id;
  const revert = useMutation({
    mutationFn: (version_id: string) =>
      api(revertVersion, { params: { ...params, version_id }, body: { confirm: true } }),
    onSuccess: (saved) => {
      const reverted = documentOf(saved);
      // A step like any other, so that what was on the canvas can be had back by undoing.
      store.getState().edit(() => reverted);
      store.getState().markSaved(reverted);
      dropDraft(workflow.id);
      client.setQueryData(keys.workflow(workflow.id), saved);
      toast.done(t('reverted'), { undo: { label: t('undo'), run: () => store.getState().undo() } });
      onOpenChange(false);
    },
  });
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('title')}
      description={t('description')}
      size="wide"
    >
      {versions.data?.length === 0 ? <p className="py-8 text-center text-faint">{t('none')}</p> : null}
      <div className="grid min-h-[420px] gap-4 md:grid-cols-[260px_minmax(0,1fr)]">
        <ul className="flex max-h-[60vh] flex-col gap-1 overflow-y-auto" aria-label={t('title')}>
          {versions.data?.map((version) => (
            <li key={version.id}>
              <button
                type="button"
                aria-current={version.id === shown}
                onClick={() => setChosen(version.id)}
                className="w-full rounded-m border border-transparent px-2.5 py-1.5 text-left hover:bg-hover aria-[current=true]:border-accent-line aria-[current=true]:bg-accent-tint"
              >
                <span className="block font-medium">{t('version', { number: version.version_number })}</span>
                <span className="block text-sm text-faint">
                  <DateTime at={version.created_at} />
                  {version.created_by_name ? ` · ${version.created_by_name}` : ''}
                </span>
              </button>
            </li>
          ))}
        </ul>
        {shown ? (
          <Difference
            workflow={workflow}
            version_id={shown}
            onRevert={() => revert.mutate(shown)}
            busy={revert.isPending}
          />
        ) : null}
      </div>
      {revert.error ? (
        <p role="alert" className="text-sm text-danger">
          {revert.error.message}
        </p>
      ) : null}
    </Dialog>
  );
}

interface DifferenceProps {
  workflow: Workflow;
  version_id: string;
  onRevert: () => void;
  busy: boolean;
}

const LONGEST = 400;

function shownValue(value: unknown): string {
  if (value === undefined || value === null) return '—';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function Difference({ workflow, version_id, onRevert, busy }: DifferenceProps) {
  const t = useTranslations('editor.versions');
  const unsaved = useDocument(isUnsaved);
  const diff = useQuery({
    queryKey: [...keys.workflow(workflow.id), 'diff', version_id, workflow.version_id],
    queryFn: () => api(diffVersion, { params: { id: workflow.id, version_id }, query: {} }),
  });
  if (!diff.data) return <p className="p-6 text-center text-faint">{t('loading')}</p>;
  const { node_changes, edge_changes, config_changes } = diff.data;
  const fields = node_changes.flatMap((node) =>
    node.changes.map((change) => ({
      ...change,
      key: `${node.node_id}.${change.field}`,
      label: node.new_node ? labelOf(node.new_node) : node.node_id,
    })),
  );
  return (
    <section className="flex min-w-0 flex-col gap-3" aria-label={t('changes')}>
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone="success">
          {t('added', { count: node_changes.filter((node) => node.change_type === 'added').length })}
        </Badge>
        <Badge tone="warning">
          {t('modified', { count: node_changes.filter((node) => node.change_type === 'modified').length })}
        </Badge>
        <Badge tone="danger">
          {t('removed', { count: node_changes.filter((node) => node.change_type === 'removed').length })}
        </Badge>
        <Button
          className="ml-auto"
          tone="primary"
          busy={busy}
          disabled={workflow.access !== 'owner'}
          onClick={onRevert}
        >
          <RotateCcw aria-hidden />
          {t('revert')}
        </Button>
      </div>
      {workflow.access === 'owner' ? null : (
        <p className="text-sm text-soft">{t('owner_only', { owner: workflow.owner_name })}</p>
      )}
      {unsaved ? <p className="text-sm text-warning">{t('unsaved')}</p> : null}
      <DiffCanvas diff={diff.data} current={documentOf(workflow)} />
      {fields.length + config_changes.length + edge_changes.length === 0 ? (
        <p className="text-sm text-faint">{t('nothing_else')}</p>
      ) : null}
      {edge_changes.length > 0 ? (
        <p className="text-sm text-soft">{t('edges_changed', { count: edge_changes.length })}</p>
      ) : null}
      <table className="w-full table-fixed text-sm">
        <caption className="sr-only">{t('changes')}</caption>
        <tbody>
          {[
            ...fields,
            ...config_changes.map((change) => ({ ...change, key: change.field, label: t('settings') })),
          ].map((change) => (
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
