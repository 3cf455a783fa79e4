import type { _Object, S3Client } from '@aws-sdk/client-s3';
import { type JsonObject, NodeFailure } from '@millrace/engine';
import { collect } from '../kit/integration/paging.ts';

const sdk = () => import('@aws-sdk/client-s3');

/** Longest list that becomes part of the run's data. */
const MOST_OBJECTS = 100_000;
/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html */
const DELETED_AT_ONCE = 1000;

export const objectRow = ({ Key, Size, ETag, LastModified, StorageClass }: _Object): JsonObject => ({
  key: Key ?? '',
  size: Size ?? 0,
  etag: ETag ?? '',
  last_modified: LastModified?.toISOString() ?? null,
  storage_class: StorageClass ?? null,
});

/** Every object below a prefix. */
export async function allObjects(client: S3Client, Bucket: string, Prefix: string): Promise<JsonObject[]> {
  const { ListObjectsV2Command } = await sdk();
  const found = await collect(async (token: string | undefined) => {
    const { Contents, IsTruncated, NextContinuationToken } = await client.send(
      new ListObjectsV2Command({
        Bucket,
        Prefix,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      }),
    );
    return {
      items: (Contents ?? []).map(objectRow),
      next: IsTruncated === true ? NextContinuationToken : undefined,
    };
  }, MOST_OBJECTS + 1);
  if (found.length <= MOST_OBJECTS) return found;
  throw new NodeFailure({
    kind: 'upstream',
    message: `There are more than ${MOST_OBJECTS} objects; use a longer prefix or list them page by page`,
    final: true,
  });
}

/** Deletes in batches. One object that stays fails the node: the folder is not gone then. */
export async function deleteAll(client: S3Client, Bucket: string, keys: readonly string[]): Promise<void> {
  const { DeleteObjectsCommand } = await sdk();
  for (let start = 0; start < keys.length; start += DELETED_AT_ONCE) {
    const Objects = keys.slice(start, start + DELETED_AT_ONCE).map((Key) => ({ Key }));
    const { Errors = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
    );
    const [first] = Errors;
    if (first) {
      const message = `${Errors.length} objects could not be deleted; ${first.Key ?? ''}: ${first.Message ?? first.Code ?? ''}`;
      throw new NodeFailure({ kind: 'upstream', message });
    }
  }
}

export async function listBuckets(client: S3Client): Promise<{ name: string; created_at: string | null }[]> {
  const { ListBucketsCommand } = await sdk();
  const { Buckets = [] } = await client.send(new ListBucketsCommand({}));
  return Buckets.map(({ Name = '', CreationDate }) => ({
    name: Name,
    created_at: CreationDate?.toISOString() ?? null,
  }));
}
