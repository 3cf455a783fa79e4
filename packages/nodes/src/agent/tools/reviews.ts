import { isJsonObject, type JsonObject, NodeFailure, readTextAt } from '@millrace/engine';
import { HOUR_MS } from '@millrace/engine/units';
import { deriveReviewId, REVIEW_DECISIONS, reviewOutput, reviewPayload } from '../../kit/runs/review.ts';
import { type AgentCall, type Tool, usedInSteps } from './tool.ts';

const HOURS = 168;

/** The decisions of people in this run of the agent, in order. */
export class Reviews {
  readonly #call: AgentCall;
  readonly #history: JsonObject[] = [];
  #last: JsonObject | undefined;
  #waited_ms = 0;

  constructor(call: AgentCall) {
    this.#call = call;
  }

  /** Milliseconds that the agent has waited for people. */
  get waited_ms(): number {
    return this.#waited_ms;
  }

  /** The facts that the last decision adds to the output. */
  get facts(): JsonObject {
    return this.#last === undefined ? {} : { ...this.#last, hitlHistory: [...this.#history] };
  }

  /** Asks a person to accept, edit or refuse a text, and waits for it. Fails when there is no decision in time. */
  async ask(key: string, { summary, draft }: { summary: string; draft: string }): Promise<JsonObject> {
    const call = this.#call;
    const asked_at_ms = await call.step(`${key}/asked`, 'pure', () => call.services.now());
    const request = { requestId: deriveReviewId(`${call.idempotency_key}:${key}`), summary, draft };
    const due_at = asked_at_ms + HOURS * HOUR_MS;
    const name = `${key}/review`;
    const link = { url: call.buildWaitAddress(name, 'review'), expires_at: new Date(due_at).toISOString() };
    const decided = await call.wait(name, {
      kind: 'review',
      due_at,
      has_address: true,
      decisions: REVIEW_DECISIONS,
      payload: {
        ...reviewPayload(request, link),
        ...(this.#history.length === 0 ? {} : { hitlHistory: [...this.#history] }),
      },
    });
    this.#waited_ms += Math.max(decided.decided_at_ms - asked_at_ms, 0);
    if (decided.decision === 'timed_out') {
      throw new NodeFailure({
        kind: 'timeout',
        message: `The review was not decided within ${HOURS} hours`,
        final: true,
      });
    }
    const { hitlHistory, ...outcome } = reviewOutput(request, decided);
    if (Array.isArray(hitlHistory)) this.#history.push(...hitlHistory.filter(isJsonObject));
    this.#last = outcome;
    return outcome;
  }
}

/** `request_human_review`, when the agent may ask a person. */
export function reviewTools(call: AgentCall, reviews: Reviews): Tool[] {
  if (!call.params.hitlEnabled) return [];
  const use: Tool['use'] = async (input, key) => {
    const draft = readTextAt(input, 'review_markdown');
    const summary =
      [readTextAt(input, 'summary'), readTextAt(input, 'reason')].find((text) => text !== '') ?? '';
    // A review without a decision ends the agent, so it is not handed to the model as other failures are.
    const outcome = await reviews.ask(key, { summary, draft });
    return usedInSteps(call, key, () => Promise.resolve(toReviewResult(outcome)));
  };
  return [
    {
      definition: {
        name: 'request_human_review',
        description:
          'Shows a draft to a person, who accepts, edits or refuses it. Continue with the text that comes back.',
        input_schema: {
          type: 'object',
          properties: {
            review_markdown: { type: 'string', description: 'The whole draft as Markdown' },
            summary: { type: 'string', description: 'What is to be decided, in one sentence' },
            reason: { type: 'string', description: 'Why a person has to decide it' },
          },
          required: ['review_markdown'],
          additionalProperties: false,
        },
      },
      source: 'hitl',
      is_parallel: false,
      touches: 'nothing',
      use,
    },
  ];
}

function toReviewResult({ decision, text, refusalReason }: JsonObject) {
  if (decision === 'refused') {
    return {
      result: { decision, ...(refusalReason === undefined ? {} : { reason: refusalReason }) },
      refused: true,
    };
  }
  return { result: { decision: decision ?? null, approved_markdown: text ?? '' } };
}
