import { type JsonObject, readTextAt } from '@millrace/engine';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { RunObserver } from '../../../execution/stream/frame-log.ts';
import { isToken } from '../../../execution/stream/frames.ts';

/** A client that hears nothing for a minute gives up. */
const STILL_RUNNING_MS = 15_000;

export interface Progress {
  readonly observer: RunObserver;
  stop(): void;
}

/** In `_meta` of a call: the text of the answer is wanted while a model writes it. In that of a progress: a piece of it. */
const TOKENS_KEY = 'millrace/node_token';

/** How long pieces of a text are collected: a reader that is slow gets fewer and longer ones. */
const COLLECT_MS = 100;

interface TokenCollector {
  add(token: JsonObject): void;
  flush(): void;
}

/** Joins tokens that follow one another. */
function collectTokens(send: (token: JsonObject) => void): TokenCollector {
  let collected: { token: JsonObject; text: string } | undefined;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (collected) send({ ...collected.token, text: collected.text });
    collected = undefined;
  };
  const follows = (token: JsonObject): boolean => {
    if (!collected) return false;
    const { token: first, text } = collected;
    const isSame = ['node_id', 'iteration', 'step'].every((field) => first[field] === token[field]);
    return isSame && token['offset'] === Number(first['offset']) + text.length;
  };
  return {
    add(token) {
      if (!follows(token)) flush();
      const text = readTextAt(token, 'text');
      collected = collected ? { ...collected, text: collected.text + text } : { token, text };
      timer ??= setTimeout(flush, COLLECT_MS);
    },
    flush,
  };
}

/**
 * Reports the progress of the run to a client that asked for it: each node that starts and ends, and that it still runs;
 * with `TOKENS_KEY` also the text of the answer.
 */
export function reportProgress({ mcpReq }: ServerContext): Progress | undefined {
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  let last = 'The run has started';
  const notify = (message: string, more: JsonObject = {}): void => {
    progress += 1;
    const params = { progressToken, progress, message, ...more };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  const tell = (message: string): void => {
    last = message;
    notify(message);
  };
  const takes_tokens = meta?.[TOKENS_KEY] === true;
  const pieces = collectTokens((token) => {
    notify(readTextAt(token, 'text'), { _meta: { [TOKENS_KEY]: token } });
  });
  const beat = setInterval(() => tell(last), STILL_RUNNING_MS);
  beat.unref();
  const observer: RunObserver = {
    takes_tokens,
    frame(frame) {
      const { data } = frame;
      if (isToken(frame)) return pieces.add(data);
      pieces.flush();
      const { type, node_label: label, status } = data;
      if (typeof label !== 'string') return;
      if (type === 'node_start') tell(`${label} started`);
      if (type === 'node_complete' && typeof status === 'string') tell(`${label}: ${status}`);
    },
    closed: () => clearInterval(beat),
  };
  const stop = () => {
    clearInterval(beat);
    pieces.flush();
  };
  return { observer, stop };
}
