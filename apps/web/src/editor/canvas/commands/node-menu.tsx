import {
  ArrowRightToLine,
  Copy,
  CopyPlus,
  PanelRightOpen,
  Pin,
  PinOff,
  Play,
  Power,
  Share2,
  StepForward,
  Trash2,
} from 'lucide-react';
import { useDocument } from '../../../features/document/context.ts';
import type { MenuItem } from '../../../ui/actions/menu.tsx';
import { isInMainFlow } from '../../document/part.ts';
import { useExtract } from '../../extract/extract-store.ts';
import { useRunControls } from '../../run/run-controls.tsx';
import { useEditor } from '../../state/context.tsx';
import { useEditorTexts } from '../../texts/use-editor-texts.ts';
import { useNodeActions } from './use-node-actions.ts';
import { useOpenNode } from './use-open-node.ts';

/** Actions on the chosen nodes, for the context menu and the menu button of the panel. */
export function useNodeMenu(): MenuItem[] {
  const t = useEditorTexts('menu');
  const { catalog, store } = useEditor();
  const open = useOpenNode();
  const { start, startPart, busy, input } = useRunControls();
  const actions = useNodeActions();
  const nodes = useDocument((state) => state.document.nodes);
  const chosen = useDocument((state) => state.selection.nodes);
  const picked = nodes.filter((node) => chosen.has(node.id));
  const isOff = picked.every((node) => node.data['active'] === false);
  const isPinned = picked.some((node) => (node.data['pinnedData'] ?? null) !== null);
  const [only] = picked;
  const opening: MenuItem[] =
    only && picked.length === 1
      ? [
          {
            label: t('open'),
            keys: '↵',
            icon: <PanelRightOpen />,
            onSelect: () => open(only.id),
          },
        ]
      : [];
  const isStep =
    picked.length === 1 &&
    only !== undefined &&
    (catalog.get(only.type)?.ports(only.data).inputs.length ?? 1) > 0 &&
    isInMainFlow(catalog, store.getState().document, only.id);
  const parts: MenuItem[] = isStep
    ? [
        {
          label: t('run_until'),
          icon: <ArrowRightToLine />,
          disabled: busy || isOff || input === undefined,
          onSelect: () => void start({ until: only.id }),
        },
        {
          label: t('run_only'),
          icon: <Play />,
          disabled: busy,
          onSelect: () => void startPart(only.id, 'only'),
        },
        {
          label: t('run_from'),
          icon: <StepForward />,
          disabled: busy,
          onSelect: () => void startPart(only.id, 'from'),
        },
        { kind: 'separator' },
      ]
    : [];
  return [
    ...opening,
    ...parts,
    { label: isOff ? t('switch_on') : t('switch_off'), keys: 'd', icon: <Power />, onSelect: actions.toggle },
    {
      label: isPinned ? t('unpin') : t('pin'),
      keys: 'p',
      icon: isPinned ? <PinOff /> : <Pin />,
      onSelect: actions.pin,
    },
    { kind: 'separator' },
    { label: t('duplicate'), keys: 'mod+d', icon: <CopyPlus />, onSelect: actions.duplicate },
    { label: t('copy'), keys: 'mod+c', icon: <Copy />, onSelect: () => void actions.copy() },
    { label: t('extract'), icon: <Share2 />, onSelect: () => useExtract.setState({ open: true }) },
    { kind: 'separator' },
    { label: t('delete'), keys: 'Del', tone: 'danger', icon: <Trash2 />, onSelect: actions.remove },
  ];
}
