import { createHmac } from 'node:crypto';

// Work that every recorded version did before it was ended, and what this version must find of it. Recorded by
// `tools/upgrade/record.ts`; changing it means recording again.

/** Keys that the recorded values are sealed and signed with; those of the test application. */
export const SECRETS = { SECRET_KEY: 'test-secret-key', ENCRYPTION_KEY: 'test-encryption-key' } as const;
export const PERSON = { email: 'ada@example.com', password: 'Passw0rd!', name: 'Ada' } as const;
/** Value of the credential `B`. */
export const TOKEN = 'BearerSecret0001';

interface Scenario {
  readonly nodes: readonly object[];
  readonly edges: readonly object[];
  readonly input: Readonly<Record<string, unknown>>;
  /** The process ended while this ran. */
  readonly is_open?: boolean;
  /** It waited, in no memory, when the process ended. */
  readonly is_waiting?: boolean;
  /** Something else starts it. */
  readonly is_only_created?: boolean;
  /** The answer of the run, in history or once it has ended. */
  readonly outputs: unknown;
}

type Part = readonly [id: string, type: string, data?: Readonly<Record<string, unknown>>];

/** Nodes in a row. */
function chain(...parts: readonly Part[]): Pick<Scenario, 'nodes' | 'edges'> {
  return {
    nodes: parts.map(([id, type, data = {}], index) => ({
      id,
      type,
      position: { x: index * 200, y: 0 },
      data: { label: id, ...data },
    })),
    edges: parts
      .slice(1)
      .map(([id], index) => ({ id: `e${index}`, source: parts[index]?.[0] ?? '', target: id })),
  };
}

const LONG = 'a text of some length '.repeat(1_500);

/** Once a year, so that it is not due while the version is recorded. */
export const CRON = '30 4 1 1 *';

/** Over 2 seconds, so that the recorder can end the process within. */
const PAUSE: Part = ['pause', 'wait', { duration: 2_500 }];

/** A chat delivered this event before the process ended, and delivers it again afterwards. */
export const CHAT = {
  node_id: 'chat',
  path: '/api/workspacechat/webhook/chat',
  credential: {
    name: 'chat',
    type: 'slack_trigger',
    config: { signing_secret: 'a-signing-secret-of-32-characters' },
  },
  event: { event_id: 'Ev0001', type: 'event_callback', event: { text: 'hi' } },
} as const;

/** A signed delivery of it, as the platform sends it. */
export function chatDelivery(now_ms: number): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify(CHAT.event);
  const timestamp = String(Math.floor(now_ms / 1000));
  const secret = CHAT.credential.config.signing_secret;
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  return {
    headers: {
      'content-type': 'application/json',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${digest}`,
    },
    body,
  };
}

/** Deleted when the process had ended, with more runs than go at once. */
export const DOOMED = { name: 'doomed', runs: 520 } as const;
/** The text that a call to the address of `asking` returns. */
export const ANSWER = 'you may';
/** So long that no recorded wait is over when it is read. */
const LONG_AWAY_MS = 29 * 86_400_000;

export const WORKFLOWS: Readonly<Record<string, Scenario>> = {
  small: {
    ...chain(
      ['start', 'textInput'],
      ['add', 'set', { mappings: [{ key: 'sum', value: '$start.body.n + 1' }] }],
      ['out', 'output', { message: '$add.sum' }],
    ),
    input: { n: 41 },
    outputs: { out: { result: 42 } },
  },
  large: {
    ...chain(['start', 'textInput'], ['out', 'output', { message: '$start.body.text' }]),
    input: { text: LONG },
    outputs: { out: { result: LONG } },
  },
  open: {
    ...chain(
      ['start', 'textInput'],
      ['add', 'set', { mappings: [{ key: 'sum', value: '$start.body.n + 1' }] }],
      ['fetch', 'http', { curl: 'curl TARGET/thing' }],
      PAUSE,
      [
        'out',
        'jsonOutputMapper',
        {
          mappings: [
            { key: 'sum', value: '$add.sum' },
            { key: 'greeting', value: '$fetch.body.greeting' },
            { key: 'text', value: '$start.body.text' },
          ],
        },
      ],
    ),
    input: { n: 1, text: LONG },
    is_open: true,
    outputs: { sum: 2, greeting: 'hello', text: LONG },
  },
  // `@name` stands for the id of a workflow that was made before.
  child: {
    ...chain(['start', 'textInput'], PAUSE, ['out', 'output', { message: '$start.body.text.length' }]),
    input: {},
    is_only_created: true,
    outputs: { out: { result: TOKEN.length } },
  },
  sealed: {
    ...chain(
      ['start', 'textInput'],
      [
        'call',
        'execute',
        { executeWorkflowId: '@child', executeInputMappings: [{ key: 'text', value: '$credentials.B' }] },
      ],
      ['out', 'output', { message: '$call.outputs.out.result' }],
    ),
    input: {},
    is_open: true,
    outputs: { out: { result: TOKEN.length } },
  },
  scheduled: {
    ...chain(
      ['every', 'cron', { cronExpression: CRON, active: true }],
      ['out', 'output', { message: '$every.cron' }],
    ),
    input: {},
    is_only_created: true,
    outputs: { out: { result: CRON } },
  },
  // Has a secret in a result, so that what was done is stored sealed.
  asking: {
    nodes: chain(
      ['start', 'textInput'],
      ['keep', 'set', { mappings: [{ key: 'key', value: '$credentials.B' }] }],
      ['ask', 'callback', { timeoutSeconds: 365 * 86_400 }],
      [
        'out',
        'jsonOutputMapper',
        {
          mappings: [
            { key: 'length', value: '$keep.key.length' },
            { key: 'answer', value: '$ask.body.answer' },
          ],
        },
      ],
    ).nodes,
    edges: [
      { id: 'e0', source: 'start', target: 'keep' },
      { id: 'e1', source: 'keep', target: 'ask' },
      { id: 'e2', source: 'ask', sourceHandle: 'called', target: 'out' },
    ],
    input: {},
    is_waiting: true,
    outputs: { length: TOKEN.length, answer: ANSWER },
  },
  pausing: {
    ...chain(
      ['start', 'textInput'],
      ['rest', 'wait', { duration: LONG_AWAY_MS }],
      ['out', 'output', { message: '$start.body.text' }],
    ),
    input: { text: 'rested' },
    is_waiting: true,
    outputs: { out: { result: 'rested' } },
  },
  // The run that it waits for waits itself.
  patient: {
    ...chain(
      ['start', 'textInput'],
      [
        'call',
        'execute',
        { executeWorkflowId: '@pausing', executeInputMappings: [{ key: 'text', value: 'late' }] },
      ],
      ['out', 'output', { message: '$call.outputs.out.result' }],
    ),
    input: {},
    is_waiting: true,
    outputs: { out: { result: 'late' } },
  },
  chatting: {
    ...chain(
      [CHAT.node_id, 'slackTrigger', { credentialId: '@chat' }],
      ['out', 'output', { message: '$chat.event.event.text' }],
    ),
    input: {},
    is_only_created: true,
    outputs: { out: { result: 'hi' } },
  },
};
