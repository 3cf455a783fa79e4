import { Readable } from 'node:stream';
import { type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { requirementsIn } from '../kit/scripts/requirements.ts';
import type { CodeJob, NodeFiles, NodeServices, StoredFile } from '../services.ts';
import { emptyDrive, runNode } from '../testing/run-node.ts';
import { code } from './definition.ts';

interface Around {
  /** Files that the code leaves in `_OUTPUT_DIR`. */
  readonly left?: Record<string, string>;
  readonly drive?: Partial<NodeFiles>;
}

/** Notes what is asked of the sandbox; what comes out of real ones is tested with the sandbox of the server. */
async function asked(data: JsonObject, inputs = {}, { left = {}, drive = {} }: Around = {}) {
  const jobs: { purpose: string; job: CodeJob }[] = [];
  const services: Partial<NodeServices> = {
    runCode: (purpose, job) => {
      jobs.push({ purpose, job });
      return Promise.resolve({
        result: { n: 1 },
        logs: 'hi\n',
        install: { ok: true, tool: 'none', log: '' },
        files: new Map(Object.entries(left).map(([path, text]) => [path, Buffer.from(text)])),
      });
    },
    files: { ...emptyDrive(), ...drive },
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

test('§8.4: no parameter of the node says how its code is isolated', () => {
  expect(Object.keys(code.params.shape).toSorted()).toEqual([
    'codeAllowNetwork',
    'codeFiles',
    'codeLanguage',
    'codeParameters',
    'codeRequirements',
    'codeSource',
    'onUnknownOutcome',
  ]);
});

test('§8.4: codeAllowNetwork asks for a network', async () => {
  const data = { codeSource: 'x', codeAllowNetwork: true };
  const allowed = await asked({ ...data, codeRequirements: 'six==1.17.0' });
  expect(allowed.jobs[0]?.job).toMatchObject({ requirements: ['six==1.17.0'], allow_network: true });
});

test('§7, §8.4: without a container engine the node fails, with the words of the sandbox', async () => {
  const failure = { kind: 'sandbox', message: 'No sandbox is started, because ...' } as const;
  const services = { runCode: () => Promise.reject(new NodeFailure(failure)), files: emptyDrive() };
  expect(await runNode('code', { codeSource: 'x' }, { services })).toMatchObject({ failure });
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
  expect(effect({ codeSource: 'open(_OUTPUT_DIR + "/a", "w")' })).toBe('idempotent');
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

describe('files', () => {
  /** A drive in which each file has its id as content. */
  const createDrive = (
    ...stored: [id: string, filename: string, size_bytes?: number][]
  ): Partial<NodeFiles> => {
    const find = (reference: string): Promise<StoredFile> => {
      const [id, filename, size_bytes = 2] = stored.find(([known]) => known === reference) ?? [];
      if (id === undefined || filename === undefined)
        return Promise.reject(new NodeFailure({ kind: 'params', message: 'File not found', final: true }));
      const address = { mime_type: 'text/plain', download_url: `/api/files/dl/${id}` };
      return Promise.resolve({ id, filename, size_bytes, ...address });
    };
    const open: NodeFiles['open'] = async (reference) => {
      const file = await find(reference);
      return { file, body: Readable.from([Buffer.from(file.id)]) };
    };
    return { find, open };
  };
  const passed = async (codeFiles: Json, start: JsonObject, drive: Partial<NodeFiles>) => {
    const data = { codeSource: 'x', codeFiles };
    const { result, jobs } = await asked(data, { start }, { drive });
    const files = jobs[0]?.job.files ?? new Map<string, Uint8Array>();
    return {
      result,
      jobs,
      files: Object.fromEntries([...files].map(([name, bytes]) => [name, Buffer.from(bytes).toString()])),
    };
  };
  const drive = createDrive(['f1', 'a.csv'], ['f2', 'b.csv'], ['f3', 'a.csv']);

  test.each<[string, Json, JsonObject]>([
    ['ids', '$start.ids', { ids: ['f1', 'f2'] }],
    ['files that a node has put out', '$start.files', { files: [{ id: 'f1' }, { file: { id: 'f2' } }] }],
    ['ids as JSON text', '["f1", "f2"]', {}],
    ['the same file twice', '$start.ids', { ids: ['f1', 'f2', 'f1'] }],
  ])('a list of %s is passed in by names', async (_, codeFiles, start) => {
    expect((await passed(codeFiles, start, drive)).files).toEqual({ 'a.csv': 'f1', 'b.csv': 'f2' });
  });

  test('a single file is passed in, and an empty field passes none', async () => {
    expect((await passed('$start.file', { file: { id: 'f1' } }, drive)).files).toEqual({ 'a.csv': 'f1' });
    for (const codeFiles of ['', '$start.none', '$start.list']) {
      const { jobs } = await passed(codeFiles, { list: [] }, drive);
      expect(jobs[0]?.job.files, codeFiles).toEqual(new Map());
    }
  });

  test('names that are the same, lead out of the folder or are too long are changed', async () => {
    const long = `${'ü'.repeat(200)}.csv`;
    const odd = createDrive(
      ['f1', 'a.csv'],
      ['f3', 'a.csv'],
      ['f4', '../../etc/x'],
      ['f5', '..'],
      ['f6', long],
    );
    const { files } = await passed('$start.ids', { ids: ['f1', 'f3', 'f4', 'f5', 'f6'] }, odd);
    const [last = '', ...others] = Object.keys(files).toReversed();
    expect(others.toReversed()).toEqual(['a.csv', 'a (2).csv', '.._.._etc_x', 'file']);
    expect(last).toMatch(/^ü+\.csv$/);
    expect(Buffer.byteLength(last)).toBeLessThanOrEqual(255);
  });

  test.each<[string, Json, JsonObject, string]>([
    ['an unknown file', '$start.ids', { ids: ['f1', 'f9'] }, 'entry 2: File not found'],
    ['an entry that is no file', '$start.ids', { ids: [7, 'f1'] }, 'entry 1: is empty or no file'],
    ['text that is no list', '[f1', {}, 'is not valid JSON'],
    ['too many', '$start.ids', { ids: Array.from({ length: 51 }, () => 'f1') }, 'at most 50'],
    ['too large', '$start.ids', { ids: ['f1', 'f2'] }, '"b.csv" exceeds the 20 MB'],
  ])('%s is refused by name, and nothing is run', async (_, codeFiles, start, text) => {
    const large = text.includes('exceeds')
      ? createDrive(['f1', 'a.csv'], ['f2', 'b.csv', 19_999_999])
      : drive;
    const { result, jobs } = await passed(codeFiles, start, large);
    expect(result).toMatchObject({
      failure: { kind: 'params', field: 'codeFiles', message: expect.stringContaining(text) },
    });
    expect(JSON.stringify(result)).toContain('Files (codeFiles): ');
    expect(jobs).toEqual([]);
  });

  test('what the code left is stored', async () => {
    const left = { 'charts/a.csv': 'a,b', 'b.txt': '' };
    const { result } = await asked({ codeSource: 'x' }, {}, { left });
    expect(result).toMatchObject({
      output: {
        result: { n: 1 },
        _generated_files: [
          { filename: 'a.csv', size_bytes: 3, download_url: '/api/files/dl/a.csv' },
          { filename: 'b.txt', size_bytes: 0 },
        ],
      },
    });
  });

  test('another attempt stores only what it left otherwise than before', async () => {
    const kept = new Map<string, Promise<StoredFile>>();
    const keeping: Partial<NodeFiles> = {
      store: (file) => {
        const known = kept.get(file.key ?? '') ?? emptyDrive().store(file);
        kept.set(file.key ?? '', known);
        return known;
      },
    };
    const leaving = async (left: Record<string, string>) =>
      (await asked({ codeSource: 'x' }, {}, { left, drive: keeping })).result;
    const record = (filename: string, size_bytes: number) => ({ filename, size_bytes });
    await leaving({ 'a.csv': '1', 'b.csv': '22' });
    expect(await leaving({ 'a.csv': '1', 'c.csv': '333' })).toMatchObject({
      output: { _generated_files: [record('a.csv', 1), record('c.csv', 3)] },
    });
    expect(kept.size).toBe(3);
  });
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
