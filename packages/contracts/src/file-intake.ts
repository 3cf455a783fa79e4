import { z } from 'zod';
import { timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { nodeResult, runStatus } from './executions.ts';
import { storedText } from './text.ts';

const tag = 'File intake';

export const uploadToSlot = endpoint({
  id: 'uploadToSlot',
  method: 'POST',
  path: '/api/file-intake/u/{token}',
  tag,
  summary:
    'Takes the one file of an upload slot as the form field "file", runs the workflow and answers with its result',
  auth: 'own',
  kind: 'raw',
  upload: 'form',
  params: z.object({ token: storedText(200) }),
  errors: [
    'bad_request',
    'not_found',
    'conflict',
    'gone',
    'too_large',
    'unsupported_media_type',
    'unavailable',
  ],
});

/** `cancelled`: its run was ended before a file came. */
export const slotStatus = z.enum(['pending', 'consumed', 'expired', 'cancelled']);

export const uploadSlot = z
  .object({
    status: slotStatus,
    run_id: uuid,
    expires_at: timestamp,
    /** Null until a file came. */
    run: z
      .object({
        status: runStatus,
        outputs: z.unknown(),
        node_results: z.array(nodeResult),
        execution_time_ms: z.int().nullable(),
        execution_history_id: uuid,
      })
      .nullable(),
  })
  .meta({ id: 'UploadSlot' });
export type UploadSlot = z.infer<typeof uploadSlot>;

export const getUploadSlot = endpoint({
  id: 'getUploadSlot',
  method: 'GET',
  path: '/api/file-intake/slots/{slot_id}',
  tag,
  summary: 'Whether an upload slot has received its file, with the result of its run',
  auth: 'session',
  params: z.object({ slot_id: uuid }),
  response: uploadSlot,
  errors: ['not_found'],
});

export const fileIntakeEndpoints = [uploadToSlot, getUploadSlot] as const;
