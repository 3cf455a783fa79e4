import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';

const text = z.string().nullable();

export const rss = defineNode({
  type: 'rss',
  title: 'RSS',
  family: 'network',
  summary: 'Reads the entries of an RSS or Atom feed.',
  search_words: ['feed read'],
  icon: [['path', { d: 'M5 11a8 8 0 0 1 8 8M5 5a14 14 0 0 1 14 14M5 18h1v1H5z' }]],
  params: z.object({
    feedUrl: field
      .template('Address', {
        placeholder: 'https://example.com/feed.xml',
        when_empty: 'Enter the address of the feed',
      })
      .default(''),
    limit: field.template('At most', { help: 'Entries; zero for all.' }).default('0'),
  }),
  initial: { label: 'rss', feedUrl: '', limit: '0' },
  output: z.object({
    feed: z.object({ title: text, link: text, description: text, updated: text }),
    items: z.array(
      z.object({
        id: text,
        title: text,
        link: text,
        summary: text,
        content: text,
        author: text,
        published: text,
        updated: text,
        categories: z.array(z.string()),
        enclosure: z.object({ url: z.string(), type: text, length: z.number().nullable() }).nullable(),
      }),
    ),
    count: z.int(),
  }),
  effect: 'read',
});
