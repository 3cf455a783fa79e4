import { NodeFailure } from '@millrace/engine';
import { readConfigText } from '@millrace/engine/credential';
import { qdrantConnection } from '@millrace/nodes/runtime';
import type { SqlClient } from '../../database/sql-client.ts';
import type { VectorIndexes } from '../../ports/vector-index.ts';
import { createPostgresIndex } from './postgres.ts';
import { createQdrantIndex } from './qdrant.ts';

/** Collections in the database of this service, and on Qdrant servers. */
export const createVectorIndexes = (sql: SqlClient): VectorIndexes => ({
  dropOwn: (collection) => createPostgresIndex({ sql, collection, dimensions: 1 }).drop(),
  open({ caller, credential: { type, config }, ...collection }) {
    const isInDatabase = type === 'pgvector' || (type === 'rag' && config['db_type'] === 'pgvector');
    if (!isInDatabase)
      return createQdrantIndex({ caller, connection: qdrantConnection(config), ...collection });
    if (readConfigText(config, 'database_url') === '') return createPostgresIndex({ sql, ...collection });
    throw new NodeFailure({
      kind: 'credential',
      message:
        'Vectors are kept in the database of this service; choose a credential without a database URL of its own',
      field: 'vectorStoreId',
      final: true,
    });
  },
});
