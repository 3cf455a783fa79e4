import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { defineOperations, shownFor } from '../kit/integration/operations.ts';
import { cohereCredential, pgvectorCredential, qdrantCredential, ragCredential } from './credential.ts';

const DOCUMENT = ['documentContent', 'documentMetadata'];
const IDENTITY = ['documentIdField', 'documentId'];
const RERANKING = { field: 'enableReranker', is: [true] };

const { params: all, effect } = defineOperations({
  key: 'ragOperation',
  initial: 'search',
  operations: {
    search: {
      title: 'Search',
      effect: 'read',
      fields: [
        'queryText',
        'searchLimit',
        'metadataFilters',
        'enableReranker',
        'rerankerCredentialId',
        'rerankerTopN',
      ],
    },
    // The id of the entry follows from the run, so that a repetition replaces it.
    insert: { title: 'Add a document', effect: 'idempotent', fields: DOCUMENT },
    upsert: { title: 'Replace a document', effect: 'idempotent', fields: [...DOCUMENT, ...IDENTITY] },
    delete: { title: 'Delete a document', effect: 'idempotent', fields: IDENTITY },
  },
  fields: {
    documentContent: field
      .template('Text', { kind: 'multiline', when_empty: 'Enter the text' })
      .default('$input.text'),
    documentMetadata: field
      .value('Metadata', { kind: 'json', help: 'Values by which entries can be found and filtered.' })
      .default('{}'),
    documentIdField: field
      .template('Field of the id', { help: 'Name of the metadata value that identifies a document.' })
      .default('doc_id'),
    documentId: field.template('Document', { when_empty: 'Enter the id of the document' }).default(''),
    queryText: field
      .template('Search for', { kind: 'multiline', when_empty: 'Enter what to search for' })
      .default('$input.text'),
    searchLimit: field.number('At most').default(5),
    metadataFilters: field
      .value('Only with metadata', {
        kind: 'json',
        help: 'Such as {"lang": "en"}; a list stands for any of its values.',
      })
      .default('{}'),
    enableReranker: field
      .boolean('Rerank', { help: 'A second model puts the results in order, which finds better answers.' })
      .default(false),
    rerankerCredentialId: shownFor(
      field
        .text('Reranker', {
          kind: 'credential',
          credential_types: ['cohere'],
          when_empty: 'Choose the credential of the reranker',
        })
        .default(''),
      RERANKING,
    ),
    rerankerTopN: shownFor(
      field
        .template('Keep', { help: 'Results that are kept; as many as searched for when empty.' })
        .default(''),
      RERANKING,
    ),
  },
});

// Every operation may be repeated.
const { onUnknownOutcome: _, ...params } = all;

export const rag = defineNode({
  type: 'rag',
  title: 'Knowledge',
  family: 'integration',
  summary: 'Searches a vector store by meaning, and adds or deletes documents.',
  search_words: ['vector store', 'embeddings', 'qdrant', 'retrieve documents'],
  icon: 'database',
  credentials: [qdrantCredential, pgvectorCredential, ragCredential, cohereCredential],
  params: z.object({
    vectorStoreId: field
      .text('Vector store', { kind: 'vector_store', when_empty: 'Choose the vector store' })
      .default(''),
    // Exports have it; the credential of the store decides.
    dbType: field.text('Kind of store', { kind: 'hidden' }).default(''),
    // The former name of the operation in exports.
    operation: field.text('Operation', { kind: 'hidden' }).default(''),
    ...params,
  }),
  initial: { label: 'rag', ragOperation: 'search', searchLimit: 5 },
  effect: (data) => effect({ ...data, ragOperation: data['ragOperation'] ?? data['operation'] ?? 'search' }),
});
