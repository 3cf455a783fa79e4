import type { Json, WorkflowNode } from '@millrace/engine';
import { Pin, PinOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import { setParameter } from '../../features/document/change.ts';
import { useRun } from '../../features/document/context.ts';
import { lastRecord } from '../../features/run-view/run-store.ts';
import { Button } from '../../ui/actions/button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { TextArea } from '../../ui/forms/input.tsx';
import { useEditor } from '../state/context.tsx';
import { usePanelTexts } from './texts/use-panel-texts.ts';

/** Fixed output for test runs: the node does not run, its pinned data is passed on. */
export function PinnedData({ node }: { node: WorkflowNode }) {
  const t = usePanelTexts('panel');
  const { store } = useEditor();
  const last = useRun((state) => lastRecord(state.nodes.get(node.id))?.output);
  const pinned = node.data['pinnedData'] ?? null;
  const stored = pinned === null ? '' : JSON.stringify(pinned, null, 2);
  const [typed, setTyped] = useState(stored);
  const [broken, setBroken] = useState(false);
  useEffect(() => setTyped(stored), [stored]);
  const pin = (value: Json) =>
    store.getState().edit((document) => setParameter(document, node.id, { name: 'pinnedData', value }));
  const commit = () => {
    try {
      setBroken(false);
      if (typed !== stored) pin(typed.trim() === '' ? null : (JSON.parse(typed) as Json));
    } catch {
      setBroken(true);
    }
  };
  return (
    <section className="flex flex-col gap-2 border-t border-line pt-3" aria-label={t('pinned_data')}>
      <div className="flex items-center gap-2">
        <h3 className="grow text-sm">{t('pinned_data')}</h3>
        {pinned === null ? (
          <Button size="small" onClick={() => pin(last ?? {})}>
            <Pin aria-hidden />
            {last === undefined ? t('pin_own') : t('pin_last')}
          </Button>
        ) : (
          <Button size="small" onClick={() => pin(null)}>
            <PinOff aria-hidden />
            {t('unpin')}
          </Button>
        )}
      </div>
      {pinned === null ? (
        <p className="text-sm text-faint">{t('pinned_hint')}</p>
      ) : (
        <Field label={t('pinned_data')} hideLabel error={broken ? t('pinned_broken') : undefined}>
          {(control) => (
            <TextArea
              {...control}
              mono
              rows={6}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              onBlur={commit}
            />
          )}
        </Field>
      )}
    </section>
  );
}
