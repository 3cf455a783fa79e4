import { Plus } from 'lucide-react';
import { NodeTile } from '../../features/canvas-view/elements/node-icons.tsx';
import { Button } from '../../ui/actions/button.tsx';
import { Keys } from '../../ui/display/keys.tsx';
import { useEditor } from '../state/context.tsx';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import { useAddNode } from './adding/use-add-node.ts';

/** Teaches the first step: what starts the workflow. */
export function EmptyHint({ onSearch }: { onSearch: () => void }) {
  const t = useEditorTexts('canvas');
  const { catalog } = useEditor();
  const add = useAddNode();
  const triggers = catalog.all.filter((definition) => definition.traits.role === 'trigger').slice(0, 3);
  return (
    <section
      aria-label={t('empty_title')}
      className="pointer-events-none absolute inset-0 flex items-center justify-center p-4 pb-20"
    >
      <div className="pointer-events-auto w-full max-w-[420px] rounded-l border border-line bg-surface p-4 shadow-m">
        <h2 className="text-lg">{t('empty_title')}</h2>
        <p className="mt-0.5 text-base text-soft">{t('empty_hint')}</p>
        <ul className="mt-3 flex flex-col gap-1.5">
          {triggers.map((definition) => (
            <li key={definition.type}>
              <button
                type="button"
                onClick={() => add(definition)}
                className="flex w-full items-center gap-3 rounded-m border border-line-strong px-2.5 py-2 text-left hover:border-accent hover:bg-hover"
              >
                <NodeTile icon={definition.icon} family={definition.family} />
                <span className="min-w-0">
                  <span className="block font-medium">{definition.title}</span>
                  <span className="block text-sm text-soft">{definition.summary}</span>
                </span>
              </button>
            </li>
          ))}
        </ul>
        <div className="mt-3 flex flex-col items-start gap-2 text-sm text-faint">
          <Button size="small" onClick={onSearch}>
            <Plus aria-hidden />
            {t('empty_other')}
          </Button>
          <span className="inline-flex items-center gap-1.5 max-sm:hidden">
            <Keys keys="n" />
            {t('empty_drop')}
          </span>
        </div>
      </div>
    </section>
  );
}
