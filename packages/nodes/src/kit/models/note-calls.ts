import type { ModelCaller } from '@millrace/models';
import type { NodeCall, StepCall } from '../../implement.ts';
import type { Credential } from '../../services.ts';

/** Keeps traces of the calls that a step of a node makes with a credential. */
export const noteCalls =
  ({ services, node }: Pick<NodeCall, 'services' | 'node'>, { name }: Pick<StepCall, 'name'>) =>
  ({ id, name: credential_name }: Pick<Credential, 'id' | 'name'>): ModelCaller['onCall'] =>
  (made) =>
    services.noteModelCall(made, {
      credential: { id, name: credential_name },
      node: { id: node.id, label: node.label },
      step: name,
    });
