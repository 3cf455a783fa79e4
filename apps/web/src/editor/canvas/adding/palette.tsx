import type { NodeDefinition, NodeFamily } from '@millrace/engine';
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { Toolbar } from 'radix-ui';
import { useState } from 'react';
import { NodeTile } from '../../../features/canvas-view/elements/node-icons.tsx';
import { usePreferences } from '../../../session/preferences.ts';
import { IconButton } from '../../../ui/actions/icon-button.tsx';
import { SearchInput } from '../../../ui/forms/input.tsx';
import { useEditor } from '../../state/context.tsx';
import { useEditorTexts } from '../../texts/use-editor-texts.ts';
import { NODE_TYPE_DATA } from '../use-drop.ts';
import { findTypeForOthers, findTypes } from './find-types.ts';
import { useAddNode } from './use-add-node.ts';

const FAMILIES: readonly NodeFamily[] = [
  'trigger',
  'flow',
  'data',
  'network',
  'ai',
  'integration',
  'output',
  'note',
];

/**
 * Every node type with one line each; a click adds it behind the selected node, or into the middle of the view. The types
 * are one stop of Tab, arrow keys move between them: the canvas is behind them.
 */
export function Palette() {
  const t = useEditorTexts('palette');
  const { catalog } = useEditor();
  const collapsed = usePreferences((state) => state.paletteCollapsed);
  const change = usePreferences((state) => state.change);
  const [words, setWords] = useState('');
  if (collapsed) {
    return (
      <div className="border-r border-line bg-surface p-1.5">
        <IconButton
          label={t('open')}
          icon={<PanelLeftOpen />}
          onClick={() => change({ paletteCollapsed: false })}
        />
      </div>
    );
  }
  const found = findTypes(catalog.all, words);
  const other = findTypeForOthers(catalog);
  return (
    <aside
      aria-label={t('label')}
      className="flex w-[224px] shrink-0 flex-col border-r border-line bg-surface max-lg:hidden"
    >
      <div className="flex items-center gap-1.5 p-2">
        <SearchInput value={words} onChange={setWords} label={t('search')} className="grow" />
        <IconButton
          label={t('close')}
          icon={<PanelLeftClose />}
          onClick={() => change({ paletteCollapsed: true })}
        />
      </div>
      <Toolbar.Root
        orientation="vertical"
        aria-label={t('label')}
        className="min-h-0 grow overflow-y-auto px-2 pb-3"
      >
        {words.trim() === '' ? (
          FAMILIES.map((family) => (
            <Family
              key={family}
              family={family}
              definitions={found.filter((definition) => definition.family === family)}
            />
          ))
        ) : (
          <Types definitions={found} />
        )}
        {found.length === 0 ? (
          <>
            <p className="px-2 py-6 text-center text-sm text-faint">{t('nothing_found')}</p>
            {other ? <Types definitions={[other]} /> : null}
          </>
        ) : null}
      </Toolbar.Root>
    </aside>
  );
}

function Family({ family, definitions }: { family: NodeFamily; definitions: readonly NodeDefinition[] }) {
  const t = useEditorTexts('palette');
  if (definitions.length === 0) return null;
  return (
    <section className="pt-2">
      <h2 className="px-1.5 pb-1 text-xs font-medium text-faint">{t(`family.${family}`)}</h2>
      <Types definitions={definitions} />
    </section>
  );
}

function Types({ definitions }: { definitions: readonly NodeDefinition[] }) {
  const add = useAddNode();
  return (
    <ul>
      {definitions.map((definition) => (
        <li key={definition.type}>
          <Toolbar.Button
            draggable
            title={definition.summary}
            onDragStart={(event) => {
              event.dataTransfer.setData(NODE_TYPE_DATA, definition.type);
              event.dataTransfer.effectAllowed = 'copy';
            }}
            onClick={() => add(definition)}
            className="flex w-full cursor-grab items-center gap-2.5 rounded-m px-1.5 py-1 text-left hover:bg-hover active:cursor-grabbing"
          >
            <NodeTile icon={definition.icon} family={definition.family} small />
            <span className="min-w-0">
              <span className="block truncate text-base">{definition.title}</span>
              <span className="block truncate text-xs text-faint">{definition.summary}</span>
            </span>
          </Toolbar.Button>
        </li>
      ))}
    </ul>
  );
}
