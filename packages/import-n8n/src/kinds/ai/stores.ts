import type { JsonObject } from '@millrace/engine';
import { formatScalar, type SourceNode } from '../../source/source.ts';
import type { View } from '../../views/views.ts';
import { type Kind, NotConvertible, type Target } from '../kind.ts';

const OF_STORE = ['ai_embedding', 'ai_document', 'ai_reranker'];

const readMode = ({ parameters }: SourceNode): string => formatScalar(parameters['mode'], 'retrieve');

/** Entries are `{document: {pageContent, metadata}, score}` in n8n. */
const FOUND: View = {
  first: '.results[0]',
  list: '.results',
  made: { document: (item) => `dict({"pageContent": ${item}.text, "metadata": ${item}.metadata})` },
};

function sayStore(to: Target): void {
  to.say(
    'Choose the vector store, which has its own embedding model and cuts texts by itself',
    'vectorStoreId',
  );
}

/** Where entries are in a store of another provider means nothing here. */
function leaveOut({ params }: Target): void {
  for (const path of params.unread())
    if (!/filter|metadata|clear|prompt|topK|useReranker/i.test(path)) params.get(path);
}

function search(to: Target): JsonObject {
  if (to.params.flag('useReranker'))
    to.say('Switch on the reranker and choose its credential', 'enableReranker');
  return { ragOperation: 'search', searchLimit: to.number('topK', 4, 'searchLimit') };
}

/** Any store of vectors: entries come from the loader of documents, and questions from an agent or a field. */
const vectorStore: Kind = {
  takes: OF_STORE,
  view: (node) => (readMode(node) === 'load' ? FOUND : {}),
  convert: (node, to) => {
    const { params } = to;
    const mode = readMode(node);
    for (const key of ['mode', 'toolName', 'includeDocumentMetadata', 'embeddingBatchSize']) params.get(key);
    if (mode === 'insert') {
      if (!to.parts.some(({ role }) => role === 'ai_document'))
        throw new NotConvertible('what it stores comes from a file, or from a loader without an equal here');
      leaveOut(to);
      sayStore(to);
      return { type: 'rag', data: { ragOperation: 'insert' } };
    }
    if (mode === 'load') {
      const queryText = to.template(params.text('prompt'), 'queryText');
      const data = search(to);
      leaveOut(to);
      sayStore(to);
      return { type: 'rag', data: { ...data, queryText } };
    }
    if (mode !== 'retrieve-as-tool')
      throw new NotConvertible('a store is searched by an agent or by a field here');
    to.given.add('queryText');
    const data = search(to);
    leaveOut(to);
    sayStore(to);
    return { type: 'rag', data };
  },
};

/** A model answers from the store in n8n; here the agent reads what was found. */
const toolVectorStore: Kind = {
  takes: ['ai_vectorStore', 'ai_languageModel'],
  convert: (_, to) => {
    to.given.add('queryText');
    to.say('The agent reads the entries itself here, and not the answer of another model');
    sayStore(to);
    return { type: 'rag', data: search(to) };
  },
};

const STORES =
  'AzureAISearch ChromaDB InMemory Milvus MongoDBAtlas PGVector Pinecone Qdrant Redis Supabase Weaviate Zep';

export const stores: Readonly<Record<string, Kind>> = {
  ...Object.fromEntries(STORES.split(' ').map((name) => [`vectorStore${name}`, vectorStore])),
  toolVectorStore,
};
