import { expect, test } from 'vitest';
import { me } from './auth.ts';
import { openApiDocument } from './openapi.ts';

test('no schema of the OpenAPI document refers to itself', () => {
  const { components } = openApiDocument([me], { title: 'T', version: '1' }) as {
    components: { schemas: Record<string, object> };
  };
  for (const [name, schema] of Object.entries(components.schemas))
    expect(schema).not.toHaveProperty('$ref', `#/components/schemas/${name}`);
  expect(components.schemas['Error']).toMatchObject({ required: ['detail', 'code', 'request_id'] });
});
