import { type FakeReply, json, refuse, type SeenCall } from './fake-provider.ts';

type Body = Readonly<Record<string, unknown>>;

interface Question {
  readonly custom_id: string;
  readonly body: Body;
}

interface Batch {
  readonly id: string;
  readonly input_file_id: string;
  readonly questions: readonly Question[];
  /** Number of times that it was read since it was made. */
  reads: number;
}

export interface FakeBatches {
  reply(call: SeenCall): FakeReply;
  /** Batches that were paid for. */
  readonly made: readonly Batch[];
  clear(): void;
}

export interface BatchScript {
  /** One for each time that it is read; the last one stays. */
  readonly statuses?: readonly string[];
  /** Text of the answer to the last message, or an error; undefined: none, as of a batch that has expired. */
  readonly answer?: (
    body: Body,
  ) => string | { readonly status: number; readonly message: string } | undefined;
  /** Why a batch of the status `failed` was refused. */
  readonly problem?: string;
}

const invalid = (message: string): FakeReply =>
  refuse(400, { error: { message, type: 'invalid_request_error', param: null, code: null } });

const lastMessage = ({ messages }: Body): string =>
  String((messages as readonly { readonly content: unknown }[]).at(-1)?.content);

/** The lines of the file in a form, or what is wrong with the form. */
function questionsIn({ text }: SeenCall): Question[] | string {
  if (!/name="purpose"\r\n\r\nbatch\r\n/.test(text)) return "'purpose' must be batch";
  const [, content] =
    /name="file"; filename="[^"]+\.jsonl"\r\n(?:[^\r]+\r\n)*\r\n([\s\S]*?)\r\n--/.exec(text) ?? [];
  if (content === undefined) return "'file' is missing";
  const questions = content
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Question & { readonly method: string; readonly url: string });
  const ids = new Set(questions.map(({ custom_id }) => custom_id));
  if (ids.size !== questions.length) return 'custom_id must be unique';
  const isValid = questions.every(
    ({ method, url, body }) =>
      method === 'POST' &&
      url === '/v1/chat/completions' &&
      typeof body['model'] === 'string' &&
      Array.isArray(body['messages']) &&
      body['stream'] === undefined,
  );
  return isValid ? questions : 'a line is not a request of chat completions';
}

/** Batches as OpenAI does them (platform.openai.com/docs/api-reference/batch), with files of questions and of answers. */
export function fakeBatches({
  statuses = ['in_progress', 'completed'],
  answer = (body) => `Re: ${lastMessage(body)}`,
  problem,
}: BatchScript = {}): FakeBatches {
  const files = new Map<string, readonly Question[]>();
  const made: Batch[] = [];

  const lines = (batch: Batch, which: 'output' | 'error'): string[] =>
    batch.questions.flatMap(({ custom_id, body }, at) => {
      const said = answer(body);
      if (said === undefined || (typeof said === 'string') !== (which === 'output')) return [];
      const response =
        typeof said === 'string'
          ? {
              status_code: 200,
              body: {
                choices: [{ index: 0, message: { role: 'assistant', content: said }, finish_reason: 'stop' }],
                usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
              },
            }
          : { status_code: said.status, body: { error: { message: said.message } } };
      return [JSON.stringify({ id: `r-${at}`, custom_id, response, error: null })];
    });

  const described = (batch: Batch) => {
    const status = batch.reads === 0 ? 'validating' : statuses[Math.min(batch.reads, statuses.length) - 1];
    const hasEnded = ['completed', 'expired', 'cancelled'].includes(status ?? '');
    // Answers come in any order.
    const [completed, failed] = [lines(batch, 'output').length, lines(batch, 'error').length];
    return {
      id: batch.id,
      object: 'batch',
      endpoint: '/v1/chat/completions',
      input_file_id: batch.input_file_id,
      completion_window: '24h',
      status,
      errors: status === 'failed' ? { object: 'list', data: [{ code: 'invalid', message: problem }] } : null,
      request_counts: {
        total: batch.questions.length,
        completed: hasEnded ? completed : 0,
        failed: hasEnded ? failed : 0,
      },
      output_file_id: hasEnded && completed > 0 ? `output-${batch.id}` : null,
      error_file_id: hasEnded && failed > 0 ? `error-${batch.id}` : null,
    };
  };

  const make = ({ body = {} }: SeenCall): FakeReply => {
    const questions = files.get(String(body['input_file_id']));
    if (!questions) return invalid('No such file');
    if (body['endpoint'] !== '/v1/chat/completions') return invalid("Invalid 'endpoint'");
    if (body['completion_window'] !== '24h') return invalid("Invalid 'completion_window'");
    const input_file_id = String(body['input_file_id']);
    const batch = { id: `batch_${made.length + 1}`, input_file_id, questions, reads: 0 };
    made.unshift(batch);
    return json(described(batch));
  };

  const reply = (call: SeenCall): FakeReply => {
    const { method, path } = call;
    if (method === 'POST' && path.endsWith('/files')) {
      const questions = questionsIn(call);
      if (typeof questions === 'string') return invalid(questions);
      const id = `file-${files.size + 1}`;
      files.set(id, questions);
      return json({ id, object: 'file', purpose: 'batch' });
    }
    if (method === 'POST' && path.endsWith('/batches')) return make(call);
    if (method === 'GET' && /\/batches\?limit=\d+$/.test(path)) {
      return json({ object: 'list', data: made.map(described), has_more: false });
    }
    const [, id] = /\/batches\/(\w+)$/.exec(path) ?? [];
    const batch = made.find((one) => one.id === id);
    if (method === 'GET' && batch) {
      batch.reads += 1;
      return json(described(batch));
    }
    const [, which, of] = /\/files\/(output|error)-(\w+)\/content$/.exec(path) ?? [];
    const ended = made.find((one) => one.id === of);
    if (method !== 'GET' || !ended) return refuse(404, { error: { message: `Unknown address: ${path}` } });
    const text = lines(ended, which === 'error' ? 'error' : 'output').toReversed();
    return { chunks: [`${text.join('\n')}\n`] };
  };

  return {
    reply,
    made,
    clear() {
      files.clear();
      made.length = 0;
    },
  };
}
