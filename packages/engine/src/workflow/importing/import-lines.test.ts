import { expect, it } from 'vitest';
import { type ImportLine, sortImportLines } from './import-lines.ts';

const line = (field: string, severity?: ImportLine['severity']): ImportLine => ({
  field,
  message: `about ${field}`,
  ...(severity && { severity }),
});
const sorted = (...lines: ImportLine[]) => sortImportLines(lines).map(({ field }) => field);

it('begins with what is missing or cannot run, then what behaves otherwise, then what to choose, then names', () => {
  expect(
    sorted(
      line('nodes.0.data.label'),
      line('nodes.0.credentialId', 'error'),
      line('nodes.0.url', 'warning'),
      line('nodes.1.url', 'error'),
      line('edges.3'),
      line('file.nodes.2'),
    ),
  ).toEqual([
    'nodes.1.url',
    'edges.3',
    'file.nodes.2',
    'nodes.0.url',
    'nodes.0.credentialId',
    'nodes.0.data.label',
  ]);
});

it('keeps the order of lines that matter alike, and a handle that was renamed is no lost edge', () => {
  expect(sorted(line('edges.1.sourceHandle'), line('b'), line('a'))).toEqual([
    'b',
    'a',
    'edges.1.sourceHandle',
  ]);
});

it('gives the lines alone', () => {
  expect(sortImportLines([line('a', 'error')])).toEqual([{ field: 'a', message: 'about a' }]);
});
