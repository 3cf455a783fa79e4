import type { Workflow } from '@millrace/contracts';
import { useNavigate } from '@tanstack/react-router';
import {
  Activity,
  Bot,
  ChartColumn,
  Download,
  Ellipsis,
  GitCompareArrows,
  MessagesSquare,
  NotebookPen,
  Plug,
  Power,
  Share2,
  TextCursorInput,
} from 'lucide-react';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Menu, type MenuItem } from '../../ui/actions/menu.tsx';
import { useToggleActive } from '../publish/publish-state.tsx';
import { useEditor } from '../state/context.tsx';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import { downloadWorkflow } from './download-workflow.ts';
import type { HeaderDialog } from './header-dialogs.tsx';

interface HeaderMenuProps {
  workflow: Workflow;
  onOpen: (dialog: HeaderDialog) => void;
}

/** Actions on the workflow as a whole. */
export function HeaderMenu({ workflow, onOpen }: HeaderMenuProps) {
  const t = useEditorTexts('header');
  const { store } = useEditor();
  const navigate = useNavigate();
  const toggleActive = useToggleActive(workflow);
  const items: MenuItem[] = [
    { label: t('settings'), icon: <TextCursorInput />, onSelect: () => onOpen('settings') },
    {
      label: t('analysis_document'),
      icon: <NotebookPen />,
      onSelect: () => onOpen('analysis_document'),
    },
    { label: t('assistant'), icon: <Bot />, onSelect: () => onOpen('assistant') },
    { label: t('versions'), icon: <GitCompareArrows />, onSelect: () => onOpen('versions') },
    { label: t('endpoint'), icon: <Plug />, onSelect: () => onOpen('endpoint') },
    ...(workflow.access === 'owner'
      ? [
          {
            label: t(workflow.active ? 'switch_off' : 'switch_on'),
            icon: <Power />,
            onSelect: toggleActive,
          },
          { label: t('portal'), icon: <MessagesSquare />, onSelect: () => onOpen('portal') },
          { label: t('share'), icon: <Share2 />, onSelect: () => onOpen('share') },
        ]
      : []),
    { kind: 'separator' },
    {
      label: t('runs'),
      icon: <Activity />,
      onSelect: () => void navigate({ to: '/runs', search: { workflow: workflow.id } }),
    },
    {
      label: t('analytics'),
      icon: <ChartColumn />,
      onSelect: () => void navigate({ to: '/analytics', search: { workflow: workflow.id } }),
    },
    {
      label: t('download'),
      icon: <Download />,
      onSelect: () => downloadWorkflow(workflow, store.getState().document),
    },
  ];
  return (
    <Menu items={items}>
      <IconButton label={t('more')} icon={<Ellipsis />} tooltip={false} />
    </Menu>
  );
}
