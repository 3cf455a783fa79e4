import type { CredentialConfig } from '@millrace/engine/credential';
import { buildConnection, type Connection } from '../kit/integration/call-json.ts';
import { qdrantCredential } from './credential.ts';

/** The Qdrant server that a credential of a vector store describes; all types of such credentials name their fields alike. */
export const qdrantConnection = (config: CredentialConfig): Connection =>
  buildConnection('Qdrant', qdrantCredential, config);
