import { expect, test } from 'vitest';
import { routedEgress } from '../testing/routed-egress.ts';
import { runNode, traceNode } from '../testing/run-node.ts';
import { serveJson } from '../testing/servers/json-server.ts';

const read = (body: string, more: object = {}, status = 200) =>
  runNode('rss', { feedUrl: 'https://news.example/feed.xml', ...more }, { answer: { body, status } });

const RSS = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>News &amp; more</title><link>/home</link><description>All</description>
<lastBuildDate>Sat, 07 Sep 2002 00:00:01 GMT</lastBuildDate>
<item><title><![CDATA[A <b>]]></title><link>/a</link><guid isPermaLink="false">1</guid>
<description>Short</description><content:encoded><![CDATA[<p>Long</p>]]></content:encoded><dc:creator>Ada</dc:creator>
<pubDate>Sat, 07 Sep 2002 09:42:31 +0200</pubDate><category>x</category><category>y</category>
<enclosure url="/a.mp3" length="123" type="audio/mpeg"/></item>
<item><title>Ünïcode</title><pubDate>some day</pubDate></item>
</channel></rss>`;

// RSS 2.0: https://www.rssboard.org/rss-specification
test('RSS 2.0: every part of an entry, and null for what it lacks', async () => {
  expect(await read(RSS)).toEqual({
    output: {
      feed: {
        title: 'News & more',
        link: 'https://news.example/home',
        description: 'All',
        updated: '2002-09-07T00:00:01.000Z',
      },
      items: [
        {
          id: '1',
          title: 'A <b>',
          link: 'https://news.example/a',
          summary: 'Short',
          content: '<p>Long</p>',
          author: 'Ada',
          published: '2002-09-07T07:42:31.000Z',
          updated: null,
          categories: ['x', 'y'],
          enclosure: { url: 'https://news.example/a.mp3', type: 'audio/mpeg', length: 123 },
        },
        {
          id: null,
          title: 'Ünïcode',
          link: null,
          summary: null,
          content: null,
          author: null,
          published: 'some day',
          updated: null,
          categories: [],
          enclosure: null,
        },
      ],
      count: 2,
    },
  });
});

test('Atom (RFC 4287): links by their relation, authors and categories', async () => {
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><subtitle>S</subtitle>
    <link rel="self" href="/self"/><link href="/home"/><updated>2003-12-13T18:30:02Z</updated>
    <entry><id>urn:1</id><title>E</title><link rel="enclosure" href="/e.mp3" length="5"/><link rel="alternate" href="/e"/>
    <author><name>Ada</name><email>a@example.com</email></author><category term="c"/><summary>s</summary>
    <content type="html">&lt;p&gt;</content><published>2003-12-13T08:29:29-04:00</published><updated>2003-12-13T18:30:02Z</updated>
    </entry></feed>`;
  expect(await read(atom)).toMatchObject({
    output: {
      feed: { title: 'T', description: 'S', link: 'https://news.example/home' },
      items: [
        {
          id: 'urn:1',
          link: 'https://news.example/e',
          author: 'Ada',
          categories: ['c'],
          content: '<p>',
          published: '2003-12-13T12:29:29.000Z',
          updated: '2003-12-13T18:30:02.000Z',
          enclosure: { url: 'https://news.example/e.mp3', type: null, length: 5 },
        },
      ],
    },
  });
});

// RFC 4287 section 3.1.1.3
test('Atom: XHTML is the markup in its div', async () => {
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">A <b>B</b></div></title>
    <entry><id>urn:1</id><summary type="xhtml"><div>plain &amp; short</div></summary>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>One <i>two</i> three<br/></p></div></content></entry></feed>`;
  expect(await read(atom)).toMatchObject({
    output: {
      feed: { title: 'A <b>B</b>' },
      items: [{ summary: 'plain &amp; short', content: '<p>One <i>two</i> three<br/></p>' }],
    },
  });
});

test('a feed that requires a sign-in names no credential, since the node has none', async () => {
  const { failure } = (await read('', {}, 401)) as { failure: { message: string; field?: string } };
  expect(failure.field).toBeUndefined();
  expect(failure.message).toContain('requires a sign-in');
});

test('RSS 1.0: entries beside the channel', async () => {
  const rdf = `<rdf:RDF><channel><title>T</title></channel><item><title>E</title><link>https://a.example/</link>
    <dc:date>2004-01-01T00:00:00Z</dc:date></item></rdf:RDF>`;
  expect(await read(rdf)).toMatchObject({
    output: { items: [{ id: 'https://a.example/', published: '2004-01-01T00:00:00.000Z' }], count: 1 },
  });
});

test.each([
  ['1', 1],
  ['0', 2],
  ['', 2],
])('at most "%s"', async (limit, count) => {
  expect(await read(RSS, { limit })).toMatchObject({ output: { count } });
});

test('the request follows redirects through the guarded way out', async () => {
  const { trace } = await traceNode(
    'rss',
    { feedUrl: 'https://news.example/feed' },
    { answer: { body: RSS } },
  );
  expect(trace.requests).toMatchObject([{ method: 'GET', follow_redirects: true }]);
});

test.each([
  ['text/xml', 'iso-8859-1', 'Gr\u00f6\u00dfe'],
  ['application/octet-stream', 'iso-8859-1', 'Gr\u00f6\u00dfe'],
  ['text/xml; charset=utf-8', 'iso-8859-1', 'Gr\u00c3\u00b6'],
  ['text/xml', 'no-such-set', 'plain'],
])('a feed of type %s that declares %s', async (type, declared, title) => {
  const xml = `<?xml version="1.0" encoding="${declared}"?><rss><channel><title>${title}</title></channel></rss>`;
  const body = type.includes('utf-8') ? Buffer.from(xml, 'utf8') : Buffer.from(xml, 'latin1');
  const answer = { headers: { 'content-type': type }, body };
  expect(await runNode('rss', { feedUrl: 'https://news.example/feed.xml' }, { answer })).toMatchObject({
    output: { feed: { title } },
  });
});

test('a feed of a real server is read', async () => {
  const server = await serveJson(() => ({ headers: { 'content-type': 'application/rss+xml' }, body: RSS }));
  const http = routedEgress({ 'news.example': server.url });
  const result = await runNode('rss', { feedUrl: 'https://news.example/a?b=1' }, { services: { http } });
  expect(result).toMatchObject({ output: { count: 2 } });
  expect(server.seen).toMatchObject([{ method: 'GET', path: '/a', query: { b: '1' } }]);
});

test.each([
  ['<html><body>no feed</body></html>', 200, 'no RSS or Atom feed'],
  ['plain', 200, 'no RSS or Atom feed'],
  ['{"a": 1}', 200, 'no RSS or Atom feed'],
  ['gone', 404, 'status 404'],
])('%s with status %i fails and says what came', async (body, status, words) => {
  expect(await read(body, {}, status)).toMatchObject({
    failure: { kind: 'upstream', message: expect.stringContaining(words) },
  });
});

test.each([
  [{ feedUrl: '' }, 'feedUrl'],
  [{ feedUrl: 'file:///etc/passwd' }, 'feedUrl'],
  [{ limit: 'x' }, 'limit'],
])('%j is refused by the name of its field', async (more, field) => {
  expect(await read(RSS, more)).toMatchObject({ failure: { kind: 'params', field } });
});
