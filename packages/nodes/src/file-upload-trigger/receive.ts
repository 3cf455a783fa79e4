import { receive } from '../receive.ts';
import { fileUploadTrigger } from './definition.ts';

/** §6.2. A slot starts one run, so its cause is known for as long as a slot can live, and longer. */
export const receiveFileUpload = receive(fileUploadTrigger, {
  kind: 'upload',
  source: 'file_upload',
  causes_kept_days: 30,
  input: (node_id, { file, uploaded_at, client_ip, slot_id }) => ({
    file: { ...file },
    uploaded_at,
    client_ip,
    slot_id,
    triggered_by: 'file_upload',
    trigger_node_id: node_id,
  }),
});
