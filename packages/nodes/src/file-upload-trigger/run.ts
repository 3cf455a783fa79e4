import { MINUTE_MS } from '@millrace/engine/units';
import { implement } from '../implement.ts';
import { triggerOutput } from '../kit/triggers/webhook-trigger.ts';
import { fileUploadTrigger } from './definition.ts';

const KEY = 'upload';

const parseTypes = (types: string): string[] =>
  types
    .split(',')
    .map((type) => type.trim().toLowerCase())
    .filter((type) => type !== '');

/** The run begins with the call that asks for a slot, and continues with the file. */
export const runFileUploadTrigger = implement(fileUploadTrigger, async (call) => {
  const { ttlMinutes, maxSizeMb, allowedTypes } = call.params;
  const due_at = call.started_at_ms + ttlMinutes * MINUTE_MS;
  const upload_url = call.buildWaitAddress(KEY, 'upload');
  const { decision, data } = await call.wait(KEY, {
    kind: 'upload',
    due_at,
    has_address: true,
    decisions: ['uploaded'],
    payload: {
      file_upload_required: true,
      curl: `curl -F "file=@your-file" "${upload_url}"`,
      upload_url,
      expires_at: new Date(due_at).toISOString(),
      max_size_mb: maxSizeMb,
      allowed_types: parseTypes(allowedTypes),
    },
  });
  return decision === 'uploaded'
    ? { output: triggerOutput(data, ['file', 'uploaded_at', 'client_ip']), ports: ['output'] }
    : { output: { expired: true }, ports: ['expired'] };
});
