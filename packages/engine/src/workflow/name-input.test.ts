import { describe, expect, it } from 'vitest';
import { draw, testCatalog } from '../testing/index.ts';
import { nameInput } from './rename.ts';

const getNamedValue = (graph: string, value: string, name = 'see') => {
  const document = draw(graph, { see: { value } });
  const named = nameInput(document, testCatalog, name);
  return named.nodes.find(({ id }) => id === 'see')?.data['value'];
};

describe('nameInput', () => {
  it.each([
    ['Hi $input.text and $input["a b"]', 'Hi $start.text and $start["a b"]'],
    ['$input', '$start'],
    ['$str(input.n) $input.n > 3', '$str(start.n) $start.n > 3'],
    ['$inputs.text $vars.input', '$inputs.text $vars.input'],
    ['$input.start.text', '$input.start.text'],
    ['my input is text', 'my input is text'],
  ])('%s becomes %s', (written, named) => {
    expect(getNamedValue('start -> see', written)).toBe(named);
  });

  it('does not change nodes with several sources, or other nodes', () => {
    expect(getNamedValue('start -> see\nstart -> one -> see', '$input.text')).toBe('$input.text');
    expect(getNamedValue('start -> one -> see', '$input.text', 'one')).toBe('$input.text');
  });

  it('returns the same document when nothing reads $input', () => {
    const document = draw('start -> see', { see: { value: '$start.text' } });
    expect(nameInput(document, testCatalog, 'see')).toBe(document);
  });

  it('ignores edges back into a loop', () => {
    const graph = 'start -> each\neach:loop -> see -> each@loop';
    expect(getNamedValue(graph, '$input.item')).toBe('$each.item');
  });
});
