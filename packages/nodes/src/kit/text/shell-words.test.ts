import { expect, test } from 'vitest';
import { splitWords } from './shell-words.ts';

/** Words with expressions marked, so that literal text and references cannot be confused. */
function words(text: string): string[] {
  return splitWords(text).map((word) =>
    word.map((part) => (part.kind === 'expression' ? `‹${part.text}›` : part.text)).join(''),
  );
}

test.each([
  ['a b  c', ['a', 'b', 'c']],
  ["'a b' c", ['a b', 'c']],
  ['"a b" c', ['a b', 'c']],
  ['a"b c"d', ['ab cd']],
  [String.raw`a\ b`, ['a b']],
  [String.raw`"say \"hi\" \\ \n"`, [String.raw`say "hi" \ \n`]],
  [String.raw`'no \" escape'`, [String.raw`no \" escape`]],
  ["'it'\\''s'", ["it's"]],
  ['a \\\n  b', ['a', 'b']],
  ['a \\\r\n b', ['a', 'b']],
  ['"two \\\nlines"', ['two lines']],
  ["''", ['']],
  ['""', ['']],
  [String.raw`$'tab\there \'q\' \x41 \u00e9 \U0001f600 \101'`, ["tab\there 'q' A é 😀 A"]],
  [String.raw`$'\ud83d\ude00'`, ['😀']],
  ['$"localised"', ['localised']],
  ['cost $5 or $ 5', ['cost', '$5', 'or', '$', '5']],
  [String.raw`\$name "\$name"`, ['$name', '$name']],
  ['a&b=c;d', ['a&b=c;d']],
  ['\ta\nb\r\nc ', ['a', 'b', 'c']],
  ['', []],
])('%j is split as a shell does', (text, expected) => expect(words(text)).toEqual(expected));

test.each([
  ['$input.text', ['‹$input.text›']],
  ['"Bearer $input.key"', ['Bearer ‹$input.key›']],
  [`'{"a": "$input.a"}'`, ['{"a": "‹$input.a›"}']],
  ['$input.name.replace("a b", "c d")', ['‹$input.name.replace("a b", "c d")›']],
  [`"x $input.list.join(", ") y"`, ['x ‹$input.list.join(", ")› y']],
  [`'x $input.list.join(', ') y'`, [`x ‹$input.list.join(', ')› y`]],
  ['https://a/$input.id/b?c=$input.c', ['https://a/‹$input.id›/b?c=‹$input.c›']],
  ['$list[0]["a b"]', ['‹$list[0]["a b"]›']],
])('a reference keeps its own quotes and spaces: %j', (text, expected) =>
  expect(words(text)).toEqual(expected),
);

test.each([
  [`-d '{"text": "What's up"}' x`, ['-d', `{"text": "What's up"}`, 'x']],
  [String.raw`'[ "say \"it's\"", 1 ]'`, [String.raw`[ "say \"it's\"", 1 ]`]],
  [`'{"a": "$input.a isn't"}' -L`, [`{"a": "‹$input.a› isn't"}`, '-L']],
])('an apostrophe in a quoted JSON text does not end the quote: %j', (text, expected) =>
  expect(words(text)).toEqual(expected),
);

test.each(["'open", '"open', "$'open", '-d \'{"a": 1}'])('an open quote says where: %s', (text) => {
  expect(() => words(text)).toThrow(/never closed/);
});

test('a long text is split in linear time', () => {
  const started = performance.now();
  words(`${'$a('.repeat(20_000)} ${"'x' ".repeat(50_000)}`);
  expect(performance.now() - started).toBeLessThan(2000);
});
