import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { describe, expect, test } from 'vitest';
import { completeParameters, findSyntaxProblems } from './code-extensions.ts';
import { type CodeLanguage, loadLanguage } from './languages.ts';
import { parameterNames } from './parameter-names.ts';

const createState = async (doc: string, language: CodeLanguage) =>
  EditorState.create({ doc, extensions: [await loadLanguage(language)] });

describe('problems of the syntax', () => {
  test.each<[CodeLanguage, string]>([
    ['python', 'def main(params):\n    return {"n": params.n + 1}\n'],
    ['javascript', 'async function main({ n }) {\n  return { n: n + 1 };\n}'],
    ['typescript', 'type Values = { n: number };\nconst main = ({ n }: Values): object => ({ n });'],
  ])('are not found in %s that is right', async (language, doc) => {
    expect(findSyntaxProblems(await createState(doc, language), 'x')).toEqual([]);
  });

  test.each<[CodeLanguage, string, number]>([
    ['python', 'def main(params):\n    return (1\n', 2],
    ['javascript', 'function main() {\n  const = 2;\n}', 2],
    ['typescript', 'interface {\n  n: number;\n}', 1],
  ])('are found in %s at their line, inside of the text', async (language, doc, line) => {
    const state = await createState(doc, language);
    const problems = findSyntaxProblems(state, 'Look here');
    expect(problems[0]?.message).toBe('Look here');
    expect(state.doc.lineAt(problems[0]?.from ?? 0).number).toBeGreaterThanOrEqual(line);
    for (const { from, to } of problems) {
      expect(from).toBeLessThanOrEqual(to);
      expect(to).toBeLessThanOrEqual(doc.length);
    }
  });

  test('are at most five, for what follows a mistake is often its consequence', async () => {
    const state = await createState(') ( ) ( } { ] [ ) ) ) ) ) )'.repeat(5), 'javascript');
    expect(findSyntaxProblems(state, 'x').length).toBeLessThanOrEqual(5);
  });
});

describe('names behind params', () => {
  const complete = (text: string, names: readonly string[] = ['name', 'n']) =>
    completeParameters(names, new CompletionContext(EditorState.create({ doc: text }), text.length, false));

  test.each(['return params.', 'return params.na', 'x = params["', "x = params['na"])(
    'are offered at %s',
    (text) => {
      const found = complete(text);
      expect(found?.options.map(({ label }) => label)).toEqual(['name', 'n']);
      expect(text.slice(found?.from)).toMatch(/^(na)?$/);
    },
  );

  test.each(['params', 'myparams.', 'other.na', ''])('are not offered at "%s"', (text) => {
    expect(complete(text)).toBeNull();
  });

  test('are not offered where the node passes none', () => {
    expect(complete('params.', [])).toBeNull();
  });

  test.each([
    ['{"name": "$input.name", "n": 2}', ['name', 'n']],
    [{ name: 'Ada' }, ['name']],
    ['$input', []],
    ['{"name": ', []],
    ['[1]', []],
    [undefined, []],
  ])('are the keys of the parameters: %j', (given, names) => {
    expect(parameterNames(given)).toEqual(names);
  });
});
