import type { BoardCard, CardActivity, CardAttachment } from '@millrace/contracts';
import type { ActivityRow, AttachedFile, ListedCard } from './queries.ts';

export const cardRecord = ({ comments, attachments, created_by, ...row }: ListedCard): BoardCard => ({
  ...row,
  card_metadata: { comments, attachments, created_by },
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

interface NamedActivity {
  readonly activity: ActivityRow;
  readonly actor_name: string | null;
}

export const activityRecord = ({ activity, actor_name }: NamedActivity): CardActivity => ({
  id: activity.id,
  kind: activity.kind,
  actor_id: activity.actor_id,
  actor_name,
  content: activity.content,
  created_at: activity.created_at.toISOString(),
});

export const attachmentRecord = ({ attachment, file }: AttachedFile): CardAttachment => ({
  id: attachment.id,
  file_id: file.id,
  filename: file.filename,
  mime_type: file.mime_type,
  size_bytes: file.size_bytes,
  created_at: attachment.created_at.toISOString(),
});
