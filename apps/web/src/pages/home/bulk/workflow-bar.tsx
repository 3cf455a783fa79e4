import type { WorkflowSummary } from '@millrace/contracts';
import { CloudUpload, Ellipsis, FolderInput, Power, PowerOff, RotateCcw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { Folders } from '../../../data/folders.ts';
import { useIsPhone } from '../../../lib/use-media.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { IconButton } from '../../../ui/actions/icon-button.tsx';
import { Menu, type MenuAction } from '../../../ui/actions/menu.tsx';
import { Checkbox } from '../../../ui/forms/toggles.tsx';
import { SelectionToolbar } from '../../../ui/layout/selection-toolbar.tsx';
import type { Selection } from '../../../ui/layout/use-selection.ts';
import { MoveDialog } from '../folders/move-dialog.tsx';
import { useHomeTexts } from '../texts/use-home-texts.ts';
import { useWorkflowChanges } from './use-workflow-changes.ts';

interface WorkflowBarProps extends Selection {
  /** Those that the list shows. */
  workflows: readonly WorkflowSummary[];
  folders: Folders;
}

type Changes = ReturnType<typeof useWorkflowChanges>;
type Act = (change: Promise<unknown>) => void;

/** Actions that suit these workflows: publishing where there is a draft, switching those that are on or off. */
function useActions(chosen: readonly WorkflowSummary[], changes: Changes, act: Act): MenuAction[] {
  const t = useHomeTexts();
  const drafts = chosen.filter(({ published, unpublished_changes }) => !published || unpublished_changes);
  const on = chosen.filter(({ active }) => active);
  const off = chosen.filter(({ active }) => !active);
  const build = (items: readonly unknown[], action: MenuAction) => (items.length === 0 ? [] : [action]);
  return [
    ...build(drafts, {
      label: t('publish_some', { count: drafts.length }),
      icon: <CloudUpload aria-hidden />,
      onSelect: () => act(changes.publish(drafts)),
    }),
    ...build(off, {
      label: t('switch_on_some', { count: off.length }),
      icon: <Power aria-hidden />,
      onSelect: () => act(changes.switch(off, true)),
    }),
    ...build(on, {
      label: t('switch_off_some', { count: on.length }),
      icon: <PowerOff aria-hidden />,
      onSelect: () => act(changes.switch(on, false)),
    }),
  ];
}

/** Actions on the ticked workflows. */
export function WorkflowBar({ workflows, folders, selected, onSelect }: WorkflowBarProps) {
  const t = useHomeTexts();
  const ui = useTranslations('ui');
  const phone = useIsPhone();
  const changes = useWorkflowChanges();
  const [isMoving, setMoving] = useState(false);
  const chosen = workflows.filter(({ id }) => selected.has(id));
  const clear = () => onSelect([...selected], false);
  // Also of those that were refused: the message about them stands where the bar does.
  const act: Act = (change) =>
    void change.then((isDone) => {
      if (isDone !== false) clear();
    });
  const actions = useActions(chosen, changes, act);
  const [first] = chosen;
  if (first === undefined) return null;
  const shown = workflows.map(({ id }) => id);
  const inOneFolder = chosen.every(({ folder_id }) => folder_id === first.folder_id);
  return (
    <SelectionToolbar count={chosen.length} onClear={clear} finished={changes.finished}>
      <Checkbox
        hideLabel
        label={ui('select_all')}
        checked={chosen.length === shown.length ? true : 'indeterminate'}
        onChange={(all) => onSelect(shown, all)}
      />
      {first.scheduled_for_deletion === null ? (
        <>
          <BarAction
            phone={phone}
            label={t('move_to')}
            icon={<FolderInput aria-hidden />}
            onSelect={() => setMoving(true)}
          />
          {phone ? null : actions.map((action) => <BarAction key={action.label} phone={phone} {...action} />)}
          <BarAction
            phone={phone}
            label={t('schedule_deletion')}
            icon={<Trash2 aria-hidden />}
            onSelect={() => act(changes.schedule(chosen))}
          />
          {phone ? (
            <Menu items={actions}>
              <IconButton size="small" label={ui('more_actions')} icon={<Ellipsis aria-hidden />} />
            </Menu>
          ) : null}
        </>
      ) : (
        <>
          <Button size="small" onClick={() => act(changes.restore(chosen))}>
            <RotateCcw aria-hidden />
            {t('restore')}
          </Button>
          <Button size="small" onClick={() => act(changes.remove(chosen))}>
            <Trash2 aria-hidden />
            {t('delete_now')}
          </Button>
        </>
      )}
      {isMoving ? (
        <MoveDialog
          title={t('move_some_title', { count: chosen.length })}
          folders={folders}
          current={inOneFolder ? first.folder_id : undefined}
          onMove={(target) =>
            act(changes.move(chosen, target, folders.get(target ?? '')?.name ?? t('no_folder')))
          }
          onClose={() => setMoving(false)}
        />
      ) : null}
    </SelectionToolbar>
  );
}

/** Without its text where there is no room for it. */
function BarAction({ label, icon, onSelect, phone }: MenuAction & { phone: boolean }) {
  if (phone) return <IconButton size="small" label={label} icon={icon} onClick={onSelect} />;
  return (
    <Button size="small" onClick={onSelect}>
      {icon}
      {label}
    </Button>
  );
}
