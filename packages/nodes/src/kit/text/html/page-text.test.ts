import { describe, expect, test } from 'vitest';
import { pageText } from './page-text.ts';

const ADDRESS = 'https://docs.example/guide/start';
const extractText = async (html: string) => (await pageText(html, ADDRESS)).text;

describe('a page as Markdown', () => {
  test('keeps headings, paragraphs, lists, tables, code and links', async () => {
    const html = `<html><head><title> The
      guide </title></head><body><h1>Start</h1><p>First <b>words</b>,
      see <a href="../faq#a">the <i>answers</i></a>.</p>
      <ul><li>One</li><li>Two<ol><li>Inner</li></ol></li></ul>
      <table><tr><th>Name</th><th>Price</th></tr><tr><td>Tea</td><td>3</td></tr></table>
      <pre>a  b
  c</pre><p>Last<br>line</p></body></html>`;
    expect(await pageText(html, ADDRESS)).toEqual({
      title: 'The guide',
      text: [
        '# Start',
        '',
        'First **words**, see [the _answers_](https://docs.example/faq#a).',
        '',
        '*   One',
        '*   Two',
        '    1.  Inner',
        '',
        'Name | Price',
        'Tea | 3',
        '',
        '```',
        'a  b',
        '  c',
        '```',
        '',
        'Last  ',
        'line',
      ].join('\n'),
    });
  });

  test('leaves out what a reader does not see', async () => {
    const html =
      '<p>Shown</p><script>a()</script><style>b{}</style><!-- c --><p hidden>d</p><p aria-hidden="true">e</p>' +
      '<p style="color:red; Display : none">f</p><div style="visibility:hidden">g</div><template>h</template>';
    expect(await extractText(html)).toBe('Shown');
  });

  test.each([
    ['a script as its target', '<a href="javascript:alert(1)">click</a>', 'click'],
    ['a place in the page', '<a href="#top">up</a>', 'up'],
    ['an address that is none', '<a href="http://[">broken</a>', 'broken'],
    ['no words', '<p>a<a href="/b"></a></p>', 'a'],
    ['paragraphs in it', '<a href="/b"><p>one</p><p>two</p></a>', 'one\n\ntwo'],
    ['an image', '<a href="/b"><img alt="Logo" src="x"></a>', '[Logo](https://docs.example/b)'],
  ])('writes a link with %s', async (_, html, expected) => {
    expect(await extractText(html)).toBe(expected);
  });

  test('of a megabyte of links on one line takes no more than a few seconds', async () => {
    const text = await extractText('<a href="/b">c</a> '.repeat(50_000));
    expect(text.length).toBeGreaterThan(1_000_000);
  }, 20_000);

  test('that is nested too deeply is refused in plain words', async () => {
    await expect(extractText(`${'<div>'.repeat(8_000)}x`)).rejects.toThrow('nested too deeply');
  });
});
