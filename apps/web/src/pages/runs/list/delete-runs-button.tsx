import type { HistoryList } from '@millrace/contracts';
import { getRouteApi } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useDeleteRuns } from '../../../data/runs.ts';
import { IconButton } from '../../../ui/actions/icon-button.tsx';
import { confirm } from '../../../ui/overlays/confirm-store.ts';
import { showFailure, toast } from '../../../ui/overlays/toast.ts';
import { useRunsTexts } from '../texts/use-runs-texts.ts';
import { hasFilters, toFilters } from './filters.ts';

const route = getRouteApi('/app/runs');

/** Deletes the finished runs that the filters leave, which without filters are all of them. */
export function DeleteRunsButton({ list }: { list: HistoryList | undefined }) {
  const t = useRunsTexts();
  const search = route.useSearch();
  const remove = useDeleteRuns();
  const filtered = hasFilters(search);
  const clear = async () => {
    const matches = { count: list?.total ?? 0, capped: String(list?.total_is_capped ?? false) };
    const sure = await confirm({
      title: filtered ? t('delete_filtered_title') : t('delete_all_title'),
      body: filtered ? `${t('delete_filtered_body', matches)} ${t('delete_body')}` : t('delete_body'),
      action: t('delete_action'),
      ...(filtered ? {} : { type_to_confirm: t('delete_word') }),
    });
    if (!sure) return;
    await remove.mutateAsync(toFilters(search)).then(() => toast.done(t('deleted_found')), showFailure);
  };
  return (
    <IconButton
      label={filtered ? t('delete_filtered') : t('delete_history')}
      icon={<Trash2 aria-hidden />}
      disabled={list === undefined || list.total === 0 || remove.isPending}
      onClick={() => void clear()}
    />
  );
}
