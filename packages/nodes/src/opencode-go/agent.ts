import { isJsonObject, type JsonObject, readTextAt } from '@millrace/engine';
import { readConfigText } from '@millrace/engine/credential';
import { type Assignment, type CodingAgent, countIn, type Heard } from '../kit/coding/agent.ts';
import type { Invocation } from '../kit/coding/workspace.ts';

const PACKAGE = 'opencode-ai@1.18.33';
/** Its own start script wants to be installed by a script, and scripts of packages are not run: the program itself is in one of these. */
const COMMANDS = ['x64', 'arm64'].flatMap((architecture) =>
  ['', '-musl', '-baseline'].map((variant) => `opencode-linux-${architecture}${variant}/bin/opencode`),
);
const PROVIDER = 'opencode-go';

const readModel = (params: JsonObject): string => {
  const model = readTextAt(params, 'opencodeModel').trim();
  return model === '' || model.includes('/') ? model : `${PROVIDER}/${model}`;
};

/** Options and events as `opencode run --help` and `opencode run --format json` of that version have them. */
export const opencodeAgent: CodingAgent = {
  title: 'OpenCode',
  provider: PROVIDER,
  reports_cost: true,
  readModel: (params) => readModel(params) || PROVIDER,
  invoke,
  hear,
  readAnswer: (text) => ({ summary: text, validation: '', question: '' }),
};

function invoke({ config, params, prompt }: Assignment): Invocation {
  const model = readModel(params);
  const variant = readTextAt(params, 'opencodeVariant').trim();
  const [base_url, api_key] = [readConfigText(config, 'base_url'), readConfigText(config, 'api_key')];
  const provider = model.split('/')[0] || PROVIDER;
  const options = { apiKey: api_key, ...(base_url === '' ? {} : { baseURL: base_url }) };
  return {
    requirements: [PACKAGE],
    commands: COMMANDS,
    variables: {
      // https://opencode.ai/docs/config
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        provider: { [provider]: { options } },
        autoupdate: false,
        share: 'disabled',
      }),
      OPENCODE_API_KEY: api_key,
    },
    files: {},
    fresh: {
      args: [
        'run',
        '--format',
        'json',
        '--auto',
        ...(model === '' ? [] : ['--model', model]),
        ...(variant === '' ? [] : ['--variant', variant]),
        '--',
        prompt,
      ],
      input: '',
    },
  };
}

function hear(event: JsonObject): Heard | undefined {
  const part = isJsonObject(event['part']) ? event['part'] : undefined;
  switch (event['type']) {
    case 'step_start':
      return { kind: 'thread', id: readTextAt(event, 'sessionID') };
    case 'text':
      return { kind: 'said', text: readTextAt(part, 'text') };
    case 'tool_use': {
      const state = isJsonObject(part?.['state']) ? part['state'] : undefined;
      return { kind: 'did', text: `${readTextAt(part, 'tool')} ${readTextAt(state, 'title')}`.trim() };
    }
    case 'step_finish': {
      const tokens = isJsonObject(part?.['tokens']) ? part['tokens'] : undefined;
      const cache = isJsonObject(tokens?.['cache']) ? tokens['cache'] : undefined;
      const cached_tokens = countIn(cache, 'read');
      const cache_write_tokens = countIn(cache, 'write');
      const prompt_tokens = countIn(tokens, 'input') + cached_tokens + cache_write_tokens;
      const completion_tokens = countIn(tokens, 'output') + countIn(tokens, 'reasoning');
      return {
        kind: 'usage',
        is_total: false,
        usage: {
          prompt_tokens,
          completion_tokens,
          total_tokens: prompt_tokens + completion_tokens,
          cached_tokens,
          ...(cache_write_tokens > 0 ? { cache_write_tokens } : {}),
        },
        cost_usd: countIn(part, 'cost'),
      };
    }
    case 'error': {
      const error = isJsonObject(event['error']) ? event['error'] : undefined;
      const data = isJsonObject(error?.['data']) ? error['data'] : undefined;
      return { kind: 'failed', message: readTextAt(data, 'message') || readTextAt(error, 'name') };
    }
    default:
      return undefined;
  }
}
