import { type AnswerContent, type AssistantFrame, type ChatPart, withFrame } from '@millrace/contracts';
import { startPolling } from '../../../core/polling.ts';
import type { Services } from '../../../services.ts';
import * as queries from '../queries.ts';
import { BEAT_MS } from './open-answers.ts';

/** How soon what was written is seen by callers who come back. */
const SAVE_EVERY_MS = 1_000;

/** Hides what must not be stored. */
export type Hide = <T>(value: T) => T;

interface Keeping {
  readonly answer_id: string;
  readonly hide: Hide;
  /** Called when the answer is to end: it was stopped, or its chat was deleted. */
  readonly onStop: () => void;
}

export interface KeptAnswer {
  receive(frame: AssistantFrame): void;
  /** Saves the answer for the last time; one without a last frame ends in the given state. */
  finish(otherwise: 'stopped' | 'lost'): Promise<void>;
}

/** A part as it is stored: images are in the run, and the address of a review alone lets its reader decide. */
function stored(part: ChatPart, hide: Hide): ChatPart {
  switch (part.kind) {
    case 'output':
      return { ...part, images: [] };
    case 'review':
      return { ...hide(part), review_url: null };
    case 'proposal':
      // A graph with hidden values could not be accepted. It holds what the workflow itself is stored with.
      return part;
    case 'confirmation':
      return { ...part, asked: { ...hide(part.asked), token: part.asked.token } };
    default:
      return hide(part);
  }
}

/** Writes an answer into its chat while it is made, so that it is there for callers who come back. */
export function keepAnswer(
  { database, broadcast, log, now }: Pick<Services, 'database' | 'broadcast' | 'log' | 'now'>,
  { answer_id, hide, onStop }: Keeping,
): KeptAnswer {
  let answer: AnswerContent = { parts: [], state: 'open', problem: null };
  let saved = answer;
  let beat_ms = now();
  const content = () => ({
    parts: answer.parts.map((part) => stored(part, hide)),
    problem: answer.problem === null ? null : hide(answer.problem),
  });
  const save = async (): Promise<void> => {
    if (answer === saved && now() - beat_ms < BEAT_MS) return;
    const writing = answer;
    beat_ms = now();
    const change = { saved_at: new Date(now()), ...(writing === saved ? {} : { content: content() }) };
    const found = await queries.saveAnswer(database.db, answer_id, change);
    saved = writing;
    if (!found || found.is_stop_requested) onStop();
  };
  const endSaving = startPolling({
    every_ms: SAVE_EVERY_MS,
    work: save,
    onError: (err) => log.warn({ err }, 'an answer of the assistant could not be saved; it is tried again'),
  });
  const endHints = broadcast.subscribe('chat_stopped', (id) => {
    if (id === answer_id) onStop();
  });
  return {
    receive(frame) {
      answer = withFrame(answer, frame);
    },
    async finish(otherwise) {
      endHints();
      await endSaving();
      const state = answer.state === 'open' ? otherwise : answer.state;
      const change = { saved_at: new Date(now()), content: content(), state };
      await queries.saveAnswer(database.db, answer_id, change);
    },
  };
}
