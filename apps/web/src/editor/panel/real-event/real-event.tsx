import type { Json, WorkflowNode } from '@millrace/engine';
import { Radio, Square } from 'lucide-react';
import { setParameter } from '../../../features/document/change.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { DateTime } from '../../../ui/display/time.tsx';
import { FormProblem } from '../../../ui/forms/form-problem.tsx';
import { useEditor } from '../../state/context.tsx';
import { usePanelTexts } from '../texts/use-panel-texts.ts';
import { EarlierEvents } from './earlier-events.tsx';
import { type Listening, useListening } from './use-listening.ts';

/** Test data of a trigger node from its source: the next event, or one that started a run. */
export function RealEvent({ node }: { node: WorkflowNode }) {
  const t = usePanelTexts('real_event');
  const { store } = useEditor();
  const pin = (value: Json) =>
    store.getState().edit((document) => setParameter(document, node.id, { name: 'pinnedData', value }));
  const { state, listen, stop } = useListening(node.id, pin);
  const isListening = state.phase === 'connecting' || state.phase === 'waiting';
  return (
    <section className="flex flex-col gap-2 border-t border-line pt-3" aria-label={t('title')}>
      <h3 className="text-sm">{t('title')}</h3>
      <p className="text-sm text-faint">{t('hint')}</p>
      <div className="flex flex-wrap gap-2">
        {isListening ? (
          <Button size="small" onClick={stop}>
            <Square aria-hidden />
            {t('stop')}
          </Button>
        ) : (
          <Button size="small" onClick={() => void listen()}>
            <Radio aria-hidden />
            {t('listen')}
          </Button>
        )}
        <EarlierEvents node_id={node.id} onChoose={pin} />
      </div>
      <Progress state={state} />
    </section>
  );
}

function Progress({ state }: { state: Listening }) {
  const t = usePanelTexts('real_event');
  const problem =
    state.phase === 'failed'
      ? state.message
      : state.phase === 'not_saved' || state.phase === 'ended'
        ? t(state.phase)
        : undefined;
  return (
    <>
      <div role="status" className="flex flex-col gap-2 text-sm text-soft empty:hidden">
        {state.phase === 'connecting' ? t('connecting') : null}
        {state.phase === 'waiting' ? (
          <>
            <p>{t.rich('waiting', { at: () => <DateTime at={state.expires_at} /> })}</p>
            {state.path === null ? null : <p>{t('address')}</p>}
          </>
        ) : null}
        {state.phase === 'received' || state.phase === 'expired' ? t(state.phase) : null}
      </div>
      {state.phase === 'waiting' && state.path !== null ? (
        <CodeBlock code={`${window.location.origin}${state.path}`} label={t('address')} wrap />
      ) : null}
      <FormProblem text={problem} />
    </>
  );
}
