import type { JsonObject } from '@millrace/engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../core/app-error.ts';
import type { RateLimited } from '../../../execution/admission/admission.ts';
import type { Called } from '../../../execution/admission/call.ts';
import { NoPlace } from '../../../execution/admission/no-place.ts';
import { limitHeaders } from '../../../execution/admission/rate-limit.ts';
import type { RunAnswer } from '../../../execution/model/run.ts';

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The answer of an execute call, however it came about. */
export interface Answer
  extends Pick<RunAnswer, 'workflow_id' | 'outputs' | 'shape' | 'http_status' | 'execution_time_ms'> {
  readonly status: RunAnswer['status'] | 'cached';
  /** Joins the full form only: `X-Simple-Response: false`. */
  readonly extras?: (() => JsonObject) | undefined;
}

/** `simple`: bare outputs. `full`: the envelope with node results. `standard`: the specification's form (§2.3). */
export type AnswerForm = 'standard' | 'simple' | 'full';

export function answerForm(header: string | string[] | undefined): AnswerForm {
  if (header === undefined) return 'standard';
  const text = String(header).trim().toLowerCase();
  if (text === 'true' || text === '1') return 'simple';
  return text === 'false' || text === '0' ? 'full' : 'standard';
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Written by hand: this is the one body that every execute call pays for. */
function envelopeText(answer: Answer): string {
  const outputs = JSON.stringify(answer.outputs);
  // Ids and statuses come from closed sets, so they need no escaping.
  return `{"workflow_id":"${answer.workflow_id}","status":"${answer.status}","outputs":${outputs},"execution_time_ms":${answer.execution_time_ms}`;
}

function fullText(answer: Answer): string {
  const extras = JSON.stringify(answer.extras?.() ?? {});
  return extras === '{}' ? `${envelopeText(answer)}}` : `${envelopeText(answer)},${extras.slice(1)}`;
}

interface Page {
  readonly html: string;
  readonly status: number;
  readonly content_type: string;
}

const PAGE_TYPE = 'text/html; charset=utf-8';

/** Nothing that a browser would run as a script of ours where it is named as a source. */
const SAFE_TYPE =
  /^(?:text\/(?:html|plain|css|xml|csv|markdown|calendar)|application\/(?:json|xml|[a-z.-]+\+(?:json|xml))|image\/svg\+xml)\s*(?:;[ -~]*)?$/i;
const TEXT_TYPE = 'text/plain; charset=utf-8';

function chooseType(given: unknown): string {
  if (typeof given !== 'string' || given.trim() === '') return PAGE_TYPE;
  return SAFE_TYPE.test(given) ? given : TEXT_TYPE;
}

function findPage(outputs: JsonObject): Page | undefined {
  const [page] = Object.values(outputs);
  if (typeof page !== 'object' || page === null || Array.isArray(page) || typeof page['html'] !== 'string')
    return undefined;
  const { html, statusCode, contentType } = page;
  const isStatus = typeof statusCode === 'number' && Number.isInteger(statusCode);
  return {
    html,
    status: isStatus && statusCode >= 200 && statusCode <= 599 ? statusCode : 200,
    content_type: chooseType(contentType),
  };
}

/** A page that a workflow wrote has an origin of its own: it sees neither cookies nor storage of the service. */
const PAGE_POLICY = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts';

function sendPage(reply: FastifyReply, page: Page, status: number | undefined): FastifyReply {
  return reply
    .code(status ?? page.status)
    .header('Content-Security-Policy', PAGE_POLICY)
    .header('Content-Type', page.content_type)
    .send(page.html);
}

function bodyText(answer: Answer, form: AnswerForm): string {
  switch (form) {
    case 'simple':
      return JSON.stringify(answer.outputs);
    case 'full':
      return fullText(answer);
    case 'standard':
      // §2.3: the object of a sole JSON mapper is the whole body.
      return answer.shape === 'json' ? JSON.stringify(answer.outputs) : `${envelopeText(answer)}}`;
    default:
      return form satisfies never;
  }
}

/** Writes the answer of an execute call (§2.3, §4.1 rule 6, §7). A cancelled run answers 409. */
export function respond(reply: FastifyReply, answer: Answer, form: AnswerForm): FastifyReply {
  if (answer.status === 'cancelled') throw new AppError('conflict', 'The run was cancelled');
  const page = answer.shape === 'html' && form !== 'full' ? findPage(answer.outputs) : undefined;
  if (page) return sendPage(reply, page, answer.http_status);
  return reply
    .code(answer.http_status ?? 200)
    .header('Content-Type', JSON_TYPE)
    .send(bodyText(answer, form));
}

/** §4.3: the slot for the file that the workflow begins with, in the envelope and beside it. */
export function respondSlot(
  reply: FastifyReply,
  { workflow_id, slot }: { workflow_id: string; slot: JsonObject },
  form: AnswerForm,
): FastifyReply {
  const envelope = { workflow_id, status: 'awaiting_file_upload', outputs: slot, execution_time_ms: 0 };
  return reply.send(form === 'simple' ? slot : { ...slot, ...envelope });
}

const OVER_RATE = 'The rate limit of this workflow is exceeded; try again later';

/** §2.3 and §7: the envelope, so that callers read one shape, with the sentence that every refusal has. */
function respondRateLimited(
  reply: FastifyReply,
  workflow_id: string,
  { request_id, detail = OVER_RATE }: { request_id: string; detail?: string },
): FastifyReply {
  return reply
    .code(429)
    .header('Content-Type', JSON_TYPE)
    .send(
      JSON.stringify({
        workflow_id,
        status: 'rate_limited',
        outputs: {},
        execution_time_ms: 0,
        detail,
        code: 'rate_limited',
        request_id,
      }),
    );
}

/** §8.1: states the limit of a workflow on every answer. Returns whether the call was over it, which is answered by that. */
export function respondOverLimit({ request, reply }: Exchange, called: Called): called is RateLimited {
  if (called.limit) reply.headers(limitHeaders(called.limit));
  if (called.kind !== 'rate_limited') return false;
  respondRateLimited(reply, called.workflow.settings.id, { request_id: request.id });
  return true;
}

/** A call that gets no place of its workflow is answered like one over the rate limit. */
export async function orNoPlace(
  { request, reply }: Exchange,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NoPlace)) throw error;
    reply.headers(error.headers);
    return respondRateLimited(reply, error.workflow_id, { request_id: request.id, detail: error.message });
  }
}
