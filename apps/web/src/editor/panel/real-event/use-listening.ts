import { type ListenFrame, listenToTrigger } from '@millrace/contracts';
import { buildEndpointUrl } from '@millrace/contracts/client';
import type { Json } from '@millrace/engine';
import { useCallback, useEffect, useRef, useState } from 'react';
import { sessionFetch } from '../../../data/api.ts';
import { readRefusal } from '../../../features/run-view/start-run.ts';
import { readFrames } from '../../../lib/run/event-frames.ts';
import { useRunControls } from '../../run/run-controls.tsx';
import { useEditor } from '../../state/context.tsx';

/** `path`: of the test address of a webhook; null for other types. */
export type Listening =
  | { readonly phase: 'idle' }
  | { readonly phase: 'connecting' }
  | { readonly phase: 'waiting'; readonly path: string | null; readonly expires_at: string }
  | { readonly phase: 'received' | 'expired' | 'not_saved' | 'ended' }
  | { readonly phase: 'failed'; readonly message: string };

/** Waits for one event of a trigger node of the draft. Leaving the node ends it. */
export function useListening(node_id: string, onReceived: (input: Json) => void) {
  const { workflow_id } = useEditor();
  const { save } = useRunControls();
  const [state, setState] = useState<Listening>({ phase: 'idle' });
  const left = useRef<AbortController>(null);
  useEffect(() => () => left.current?.abort(), []);

  const stop = useCallback(() => {
    left.current?.abort();
    setState({ phase: 'idle' });
  }, []);

  async function follow(body: ReadableStream<Uint8Array>): Promise<Listening> {
    let address: Extract<ListenFrame, { type: 'listening' }> | undefined;
    for await (const { event } of readFrames<ListenFrame>(body)) {
      switch (event.type) {
        case 'listening':
          address = event;
          break;
        case 'ready':
          if (address) setState({ phase: 'waiting', path: address.path, expires_at: address.expires_at });
          break;
        case 'received':
          onReceived(event.input);
          return { phase: 'received' };
        case 'failed':
          return { phase: 'failed', message: event.message };
        case 'expired':
          return { phase: 'expired' };
        default:
          event satisfies never;
      }
    }
    return { phase: 'ended' };
  }

  async function listen(): Promise<void> {
    const leaving = new AbortController();
    left.current = leaving;
    setState({ phase: 'connecting' });
    const ended = await (async (): Promise<Listening> => {
      if (!(await save())) return { phase: 'not_saved' };
      const response = await sessionFetch(
        buildEndpointUrl(listenToTrigger, { params: { id: workflow_id, node_id } }),
        { method: 'POST', headers: { accept: 'text/event-stream' }, signal: leaving.signal },
      );
      if (!response.ok || !response.body) return { phase: 'failed', message: await readRefusal(response) };
      return follow(response.body);
    })().catch((): Listening => ({ phase: 'ended' }));
    if (!leaving.signal.aborted) setState(ended);
  }

  return { state, listen, stop };
}
