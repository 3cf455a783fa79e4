import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { FILE_RECORD } from '../kit/files/file-record.ts';
import { shownFor, unknownOutcome } from '../kit/integration/operations.ts';

const START = 'def main(params):\n    return {"greeting": "Hello " + params.name}\n';

type Data = Readonly<Record<string, unknown>>;

/** Only what has packages has the network that it may have. */
const hasNetwork = ({ codeAllowNetwork, codeRequirements }: Data): boolean =>
  codeAllowNetwork === true && typeof codeRequirements === 'string' && codeRequirements.trim() !== '';

/** Code without a network changes nothing but the Drive, if it leaves files; it is not pure, for it may draw random numbers. */
const determineEffect = (data: Data) => {
  const { codeSource, onUnknownOutcome } = data;
  const leavesFiles = typeof codeSource === 'string' && codeSource.includes('_OUTPUT_DIR');
  if (!hasNetwork(data)) return leavesFiles ? 'idempotent' : 'read';
  return onUnknownOutcome === 'repeat' ? 'idempotent' : 'unsafe';
};

export const code = defineNode({
  type: 'code',
  title: 'Code',
  family: 'data',
  summary: 'Runs Python, JavaScript or TypeScript in an isolated container.',
  search_words: ['function', 'script'],
  icon: 'code',
  params: z.object({
    codeLanguage: field
      .choice('Language', ['python', 'javascript', 'typescript'], {
        choices: [
          { value: 'python', title: 'Python' },
          { value: 'javascript', title: 'JavaScript' },
          { value: 'typescript', title: 'TypeScript' },
        ],
      })
      .default('python'),
    codeSource: field
      .text('Code', {
        kind: 'code',
        when_empty: 'Write a function main that takes params and returns the result',
        help: 'A function main(params) at the top level. Used as it is written; values come in as parameters.',
      })
      .default(''),
    codeParameters: field
      .value('Parameters', {
        kind: 'json',
        help: 'A JSON object, such as {"name": "$input.name"}; the code reads it as params.',
      })
      .default('{}'),
    codeFiles: field
      .value('Files', {
        placeholder: '$input.file',
        help: 'A file from another node, a file ID, a file URL, or a list of these. The code reads them from the folder _INPUT_DIR. Files that it writes to _OUTPUT_DIR are saved.',
      })
      .default(''),
    codeRequirements: field
      .text('Packages', {
        kind: 'multiline',
        placeholder: 'requests==2.32.5',
        help: 'One a line, as pip or npm names them. They are installed once and kept.',
      })
      .default(''),
    codeAllowNetwork: field
      .boolean('Network', { help: 'Only for code with packages; other code has no network.' })
      .default(false),
    onUnknownOutcome: shownFor(unknownOutcome(), { field: 'codeAllowNetwork', is: [true] }),
  }),
  initial: { label: 'code', codeSource: START, codeParameters: '{"name": "$input.text"}' },
  output: z.object({
    result: z.json(),
    logs: z.string(),
    install: z.object({ ok: z.boolean(), tool: z.string(), log: z.string() }),
    _generated_files: z.array(z.object(FILE_RECORD)).optional(),
  }),
  effect: determineEffect,
  traits: { returns_outside_content: hasNetwork },
});
