import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { unknownOutcome } from '../kit/integration/operations.ts';

/**
 * A document that contains a mutation is not sent twice unless the node says so; one that only reads may be. The word in a
 * comment or in the name of a field counts too, which costs a repetition and no data.
 */
export const determineEffect = ({ query, onUnknownOutcome }: Readonly<Record<string, unknown>>) => {
  if (typeof query === 'string' && !/\bmutation\b/.test(query)) return 'read';
  return onUnknownOutcome === 'repeat' ? 'idempotent' : 'unsafe';
};

export const graphql = defineNode({
  type: 'graphql',
  title: 'GraphQL',
  family: 'network',
  summary: 'Sends a query or a mutation with variables to a GraphQL service.',
  icon: [['path', { d: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 3L4 16.5h16z' }]],
  params: z.object({
    endpoint: field
      .template('Address', {
        placeholder: 'https://api.example.com/graphql',
        when_empty: 'Enter the address of the service',
      })
      .default(''),
    query: field
      .text('Query', {
        kind: 'multiline',
        placeholder: 'query ($id: ID!) { order(id: $id) { total } }',
        when_empty: 'Write the query',
        help: 'Sent as it is written. Values belong into the variables.',
      })
      .default(''),
    variables: field
      .value('Variables', { kind: 'json', help: 'A JSON object such as {"id": "$input.id"}.' })
      .default('{}'),
    operationName: field
      .template('Operation name', { help: 'For a document with several operations.' })
      .default(''),
    headers: field
      .mappings('Headers', { help: 'Such as Authorization: Bearer $credentials.shop.' })
      .default([]),
    onUnknownOutcome: unknownOutcome(),
  }),
  initial: { label: 'graphql', variables: '{}' },
  output: z.object({ data: z.json(), extensions: z.json().optional() }),
  effect: determineEffect,
});
