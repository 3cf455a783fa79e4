import type { JsonObject } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { requirementsIn } from '../kit/requirements.ts';
import type { CodeJob, NodeServices } from '../services.ts';
import { runNode } from '../testing/run-node.ts';
import { code } from './definition.ts';

/** Notes what is asked of the sandbox; what comes out of real ones is tested with the sandbox of the server. */
async function asked(data: JsonObject, inputs = {}) {
  const jobs: { purpose: string; job: CodeJob }[] = [];
  const services: Partial<NodeServices> = {
    runCode: (purpose, job) => {
      jobs.push({ purpose, job });
      return Promise.resolve({
        result: { n: 1 },
        logs: 'hi\n',
        install: { ok: true, tool: 'none', log: '' },
      });
    },
  };
  return { result: await runNode('code', data, { services, inputs }), jobs };
}

test('§8.4: code has a container in every mode, no network and 60 seconds', async () => {
  const data = {
    codeSource: 'def main(p): return p',
    codeParameters: '{"name": "$start.text", "n": "$start.n"}',
  };
  const { result, jobs } = await asked(data, { start: { text: 'Ada "x"', n: 5 } });
  expect(result).toEqual({
    output: { result: { n: 1 }, logs: 'hi\n', install: { ok: true, tool: 'none', log: '' } },
  });
  expect(jobs).toMatchObject([
    {
      purpose: 'code',
      job: {
        language: 'python',
        source: 'def main(p): return p',
        entry: 'main',
        values: { name: 'Ada "x"', n: 5 },
        requirements: [],
        allow_network: false,
        timeout_ms: 60_000,
      },
    },
  ]);
});

test('$ in code is code', async () => {
  const codeSource = 'function main(params) {\n  return `${params.a} $input.text`;\n}';
  const { jobs } = await asked({ codeLanguage: 'javascript', codeSource }, { start: { text: 'no' } });
  expect(jobs[0]?.job.source).toBe(codeSource);
});

test('TypeScript is JavaScript with types, with packages of npm', async () => {
  const data = { codeLanguage: 'typescript', codeRequirements: '@types/node@24' };
  const { jobs } = await asked({ codeSource: 'const main = (n: number) => n', ...data }, {});
  expect(jobs[0]?.job).toMatchObject({
    language: 'javascript',
    is_typescript: true,
    requirements: ['@types/node@24'],
  });
});

test('code without a network changes nothing; with one it is not run twice', () => {
  const effect = code.effect as (data: JsonObject) => string;
  expect(effect({})).toBe('read');
  expect(effect({ codeAllowNetwork: true })).toBe('read');
  expect(effect({ codeRequirements: 'six' })).toBe('read');
  expect(effect({ codeAllowNetwork: true, codeRequirements: 'requests' })).toBe('unsafe');
  const more = { codeAllowNetwork: true, codeRequirements: 'requests', onUnknownOutcome: 'repeat' };
  expect(effect(more)).toBe('idempotent');
});

test.each<[string, JsonObject, string]>([
  ['no code', { codeSource: '  ' }, 'codeSource'],
  ['parameters that are a list', { codeSource: 'x', codeParameters: '[1]' }, 'codeParameters'],
  ['parameters that are not JSON', { codeSource: 'x', codeParameters: '{"a"' }, 'codeParameters'],
  [
    'an option as package',
    { codeSource: 'x', codeRequirements: '--index-url http://evil' },
    'codeRequirements',
  ],
  ['another language', { codeSource: 'x', codeLanguage: 'ruby' }, 'codeLanguage'],
])('%s is refused and nothing is run', async (_, data, field) => {
  const { result, jobs } = await asked(data);
  expect(result).toMatchObject({ failure: { kind: 'params', field } });
  expect(jobs).toEqual([]);
});

describe('packages', () => {
  test('one a line, without comments', () => {
    const text = '# numbers\nnumpy>=1.26,<3  # kept\n\n  pandas[excel]==2.2.3\n';
    expect(requirementsIn('python', text, 'codeRequirements')).toEqual([
      'numpy>=1.26,<3',
      'pandas[excel]==2.2.3',
    ]);
    const packages = 'lodash\n@scope/name@^1.2.3\nleft-pad@>=1.0.0 <2';
    expect(requirementsIn('javascript', packages, 'codeRequirements')).toEqual([
      'lodash',
      '@scope/name@^1.2.3',
      'left-pad@>=1.0.0 <2',
    ]);
  });

  test.each([
    ['python', '-r /etc/passwd'],
    ['python', 'name @ file:///etc/passwd'],
    ['python', 'git+https://example.org/x'],
    ['python', '../local'],
    ['python', 'a; rm -rf /'],
    ['javascript', '--registry=http://evil'],
    ['javascript', 'name@file:../x'],
    ['javascript', 'name@npm:other'],
    ['javascript', 'name@..'],
    ['javascript', 'archive.tgz'],
    ['python', 'archive.whl'],
    ['javascript', 'https://example.org/x.tgz'],
    ['javascript', 'user/repository'],
  ] as const)('of %s: %s is refused', (language, line) => {
    expect(() => requirementsIn(language, line, 'codeRequirements')).toThrow('not a package such as');
  });

  test('no more than fifty', () => {
    expect(() => requirementsIn('python', 'six\n'.repeat(51), 'codeRequirements')).toThrow('more than 50');
  });
});
