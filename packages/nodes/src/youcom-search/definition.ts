import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { youcomCredential } from './credential.ts';

export const youcomSearch = defineNode({
  type: 'youcomSearch',
  title: 'Web Search',
  family: 'network',
  summary: 'Searches the web and returns titles, addresses and excerpts.',
  search_words: ['you.com', 'serp', 'google search', 'tavily', 'brave search'],
  icon: 'search',
  credentials: [youcomCredential],
  params: z.object({
    query: field
      .template('Search for', { when_empty: 'Enter the words to search for' })
      .default('$input.text'),
    count: field.template('At most', { help: 'Up to 20 results; empty for 10, 0 for 20.' }).default('10'),
    safesearch: field
      .choice('Filter', ['off', 'moderate', 'strict'], {
        choices: [
          { value: 'off', title: 'Off' },
          { value: 'moderate', title: 'Moderate' },
          { value: 'strict', title: 'Strict' },
        ],
      })
      .default('moderate'),
    credentialId: field
      .custom(z.string(), 'API key', {
        kind: 'credential',
        credential_types: ['youcom'],
        help: 'Without a key, the service allows about 100 searches a day per IP address.',
      })
      .default(''),
  }),
  initial: { label: 'webSearch', query: '$input.text', count: '10' },
  output: z.object({
    results: z.array(z.object({ title: z.string(), url: z.string(), snippet: z.string() })),
    query: z.string(),
    count: z.int(),
    total_results: z.int(),
    has_api_key: z.boolean(),
    status: z.literal('success'),
  }),
  effect: 'read',
});
