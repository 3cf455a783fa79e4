import { useReactFlow } from '@xyflow/react';
import {
  CloudUpload,
  LayoutDashboard,
  ListTree,
  Maximize,
  Pin,
  Play,
  Power,
  Save,
  Square,
} from 'lucide-react';
import { useMemo } from 'react';
import { type Command, useCommands } from '../../lib/commands.ts';
import { inDialog } from '../../lib/keyboard/typing.ts';
import { useNodeActions } from '../canvas/commands/use-node-actions.ts';
import { FIT, useTidyUp } from '../canvas/commands/use-tidy-up.ts';
import { useRunControls } from '../run/run-controls.tsx';
import type { Saving } from '../session/saving.ts';
import { useEditor } from '../state/context.tsx';
import { useEditorTexts } from '../texts/use-editor-texts.ts';

/** Keys that the canvas binds itself; written so that the shell lists them and never fires them. */
const LISTED = [
  ['add', 'n'],
  ['add_by_letter', 'A…Z'],
  ['find', 'mod+f'],
  ['open', '↵'],
  ['next_node', 'alt+PageDown'],
  ['previous_node', 'alt+PageUp'],
  ['undo', 'mod+z'],
  ['redo', 'mod+shift+z'],
  ['select_all', 'mod+a'],
  ['copy', 'mod+c'],
  ['cut', 'mod+x'],
  ['paste', 'mod+v'],
  ['duplicate', 'mod+d'],
  ['delete', 'Del'],
] as const;

const nothing = () => undefined;

/** Offers what the editor can do in the command palette and in the list of shortcuts. */
export function EditorCommands({ saving }: { saving: Saving }) {
  const t = useEditorTexts('commands');
  const { view } = useEditor();
  const { start, stop, busy } = useRunControls();
  const actions = useNodeActions();
  const flow = useReactFlow();
  const tidyUp = useTidyUp();
  const { save } = saving;
  const commands = useMemo<Command[]>(() => {
    const free = (run: () => void) => () => (inDialog() ? undefined : run());
    return [
      {
        id: 'editor.save',
        title: t('save'),
        icon: <Save aria-hidden />,
        keys: '$mod+s',
        run: () => void save(),
      },
      {
        id: 'editor.publish',
        title: t('publish'),
        icon: <CloudUpload aria-hidden />,
        keys: 'Shift+P',
        run: free(() => view.getState().set({ publishing: true })),
      },
      busy
        ? { id: 'editor.stop', title: t('stop'), icon: <Square aria-hidden />, run: stop }
        : {
            id: 'editor.run',
            title: t('run'),
            icon: <Play aria-hidden />,
            keys: '$mod+Enter',
            run: free(() => void start()),
          },
      {
        id: 'editor.toggle',
        title: t('toggle'),
        icon: <Power aria-hidden />,
        keys: 'd',
        run: free(actions.toggle),
      },
      { id: 'editor.pin', title: t('pin'), icon: <Pin aria-hidden />, keys: 'p', run: free(actions.pin) },
      {
        id: 'editor.tidy',
        title: t('tidy_up'),
        icon: <LayoutDashboard aria-hidden />,
        keys: 'Shift+T',
        run: free(tidyUp),
      },
      {
        id: 'editor.fit',
        title: t('zoom_to_fit'),
        icon: <Maximize aria-hidden />,
        keys: 'Shift+Digit1',
        run: free(() => void flow.fitView(FIT)),
      },
      {
        id: 'editor.outline',
        title: t('outline'),
        icon: <ListTree aria-hidden />,
        keys: 'o',
        run: free(() => view.getState().show('outline')),
      },
      ...LISTED.map(
        ([name, keys]): Command => ({
          id: `editor.${name}`,
          title: t(name),
          keys,
          keysOnly: true,
          run: nothing,
        }),
      ),
    ];
  }, [t, save, busy, start, stop, actions, tidyUp, flow, view]);
  useCommands(commands);
  return null;
}
