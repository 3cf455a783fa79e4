import type { DriveFile } from '@millrace/contracts';
import { Download, Link2, Share2, Trash2, UserMinus, Users } from 'lucide-react';
import { saveFiles, useBulkLinks, useBulkTeamSharing } from '../../data/files.ts';
import { Button } from '../../ui/actions/button.tsx';
import { Menu, type MenuItem } from '../../ui/actions/menu.tsx';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { useFilesTexts } from './texts/use-files-texts.ts';

interface SelectionActionsProps {
  files: readonly DriveFile[];
  onDelete: (files: readonly DriveFile[]) => void;
}

/** Actions on the ticked files: all of them can be saved, own ones shared and deleted. */
export function SelectionActions({ files, onDelete }: SelectionActionsProps) {
  const t = useFilesTexts();
  const links = useBulkLinks();
  const teams = useBulkTeamSharing();
  const own = files.filter((file) => !file.is_shared);
  const ids = own.map((file) => file.id);
  if (files.length === 0) return null;
  const shareWithTeams = (enabled: boolean) =>
    teams.mutate(
      { body: { file_ids: ids, enabled } },
      {
        onSuccess: ({ succeeded }) =>
          toast.done(t(enabled ? 'shared_some' : 'unshared_some', { count: succeeded.length })),
        onError: showFailure,
      },
    );
  const sharing: MenuItem[] = [
    { label: t('with_teams'), icon: <Users aria-hidden />, onSelect: () => shareWithTeams(true) },
    { label: t('without_teams'), icon: <UserMinus aria-hidden />, onSelect: () => shareWithTeams(false) },
    { kind: 'separator' },
    {
      label: t('create_links', { count: own.length }),
      icon: <Link2 aria-hidden />,
      onSelect: () =>
        links.mutate(
          { body: { file_ids: ids } },
          {
            onSuccess: ({ succeeded }) => toast.done(t('links_created', { count: succeeded.length })),
            onError: showFailure,
          },
        ),
    },
  ];
  return (
    <>
      <Button tone="quiet" onClick={() => void saveFiles(files.map((file) => file.id)).catch(showFailure)}>
        <Download aria-hidden />
        {t('download_some', { count: files.length })}
      </Button>
      {own.length > 0 ? (
        <>
          <Menu items={sharing}>
            <Button tone="quiet" busy={links.isPending || teams.isPending}>
              <Share2 aria-hidden />
              {t('share_some', { count: own.length })}
            </Button>
          </Menu>
          <Button tone="quiet-danger" onClick={() => onDelete(own)}>
            <Trash2 aria-hidden />
            {t('delete_some', { count: own.length })}
          </Button>
        </>
      ) : null}
    </>
  );
}
