import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { numeric } from '../kit/values/numeric.ts';
import { flaresolverrCredential } from './credential.ts';

export const crawler = defineNode({
  type: 'crawler',
  title: 'Crawler',
  family: 'network',
  summary: 'Reads a web page through a browser and picks elements out of it.',
  search_words: ['scrape', 'browser'],
  icon: 'scan-search',
  credentials: [flaresolverrCredential],
  params: z.object({
    credentialId: field
      .text('Credential', {
        kind: 'credential',
        credential_types: ['flaresolverr'],
        when_empty: 'Choose the FlareSolverr server',
      })
      .default(''),
    crawlerUrl: field
      .template('Address', { when_empty: 'Enter the address of the page' })
      .default('$input.text'),
    crawlerWaitSeconds: numeric('Wait before reading', {
      min: 0,
      max: 300,
      help: 'In seconds, for pages that load their content late.',
    }).default(0),
    crawlerMaxTimeout: numeric('Time limit', { min: 1_000, max: 600_000, help: 'In milliseconds.' }).default(
      60_000,
    ),
    crawlerMode: field
      .choice('Read', ['basic', 'extract'], {
        choices: [
          { value: 'basic', title: 'The page' },
          { value: 'extract', title: 'The page and elements of it' },
        ],
      })
      .default('basic'),
    crawlerSelectors: field
      .value('Elements', {
        kind: 'json',
        help: 'A list such as [{"name": "links", "selector": "a", "attributes": ["href"]}].',
        shown_when: [{ field: 'crawlerMode', is: ['extract'] }],
      })
      .default('[]'),
  }),
  initial: { label: 'crawler', crawlerUrl: '$input.text', crawlerMode: 'basic' },
  output: z.object({
    html: z.string(),
    url: z.string(),
    status: z.json(),
    extracted: z.record(z.string(), z.array(z.record(z.string(), z.string()))).optional(),
  }),
  effect: 'read',
});
