import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { storedText } from './text.ts';

const tag = 'Callbacks';
const path = '/api/callbacks/{token}';
const params = z.object({ token: storedText(200) });

export const showCallback = endpoint({
  id: 'showCallback',
  method: 'GET',
  path,
  tag,
  summary: 'Page of a waiting Callback node, with the button that decides it; opening it decides nothing',
  auth: 'own',
  kind: 'raw',
  params,
  errors: ['not_found', 'gone'],
});

export const callCallback = endpoint({
  id: 'callCallback',
  method: 'POST',
  path,
  tag,
  summary: 'Decide a waiting Callback node once; body, query and headers become its output',
  auth: 'own',
  kind: 'raw',
  params,
  body: z.unknown(),
  errors: ['not_found', 'gone', 'invalid_input', 'too_large', 'unsupported_media_type', 'unavailable'],
  body_limit: 1024 * 1024,
});

export const callbackEndpoints = [showCallback, callCallback] as const;
