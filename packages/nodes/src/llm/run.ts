import { isJsonObject } from '@millrace/engine';
import { implement } from '../implement.ts';
import { type Answer, askModel, readTargets } from '../kit/models/ask.ts';
import { modelChoices } from '../kit/models/choices.ts';
import { guardMessage } from '../kit/models/guardrails.ts';
import { readJsonAnswer } from '../kit/models/json-answer.ts';
import { prepare, requireConsistent } from '../kit/models/request.ts';
import { routingFacts } from '../kit/models/route.ts';
import { answerBatch } from './batch.ts';
import { llm } from './definition.ts';
import { answerWithImage } from './image.ts';

const KEYS = { route: 'route', call: 'call', fallback_route: 'fallback-route', fallback: 'fallback' };

export const runLlm = implement(
  llm,
  async (call) => {
    requireConsistent(call.params);
    if (call.params.batchModeEnabled) return answerBatch(call);
    const prepared = await prepare(call);
    await guardMessage(call, prepared);
    if (call.params.outputType === 'image') return answerWithImage(call, prepared);
    const asked = await askModel(call, prepared, readTargets(call.params), KEYS);
    const { answer, target, is_fallback } = asked;
    const metadata = routingFacts(target.route ? [target.route] : []);
    const more = metadata ? { metadata } : {};
    const facts = { model: answer.model, ...(is_fallback ? { fallbackUsed: true } : {}) };
    if (call.params.jsonOutputEnabled) {
      const value = await readJsonAnswer(call, prepared, asked);
      return { output: { ...(isJsonObject(value) ? value : { value }), ...facts }, ...more };
    }
    const { text, usage, elapsed_ms } = answer;
    return { output: { text, usage, tokens_per_sec: computeSpeed(answer), elapsed_ms, ...facts }, ...more };
  },
  { choices: modelChoices },
);

/** Tokens of the answer in a second, to one decimal; 0 when the provider counts none. */
function computeSpeed({ usage, elapsed_ms }: Answer): number {
  return elapsed_ms > 0 ? Math.round((usage.completion_tokens / elapsed_ms) * 10_000) / 10 : 0;
}
