import type { ModelCaller } from '@millrace/models';
import type { NodeCall, StepCall } from '../../implement.ts';
import type { Credential } from '../../services.ts';
import { callerOf } from '../integration/run-caller.ts';

type Call = Pick<NodeCall, 'services' | 'signal' | 'idempotency_key'>;

/** The run as the caller of a model. */
export const modelCallerOf = (call: Call, { signal }: Pick<StepCall, 'signal'>): ModelCaller => ({
  ...callerOf(call, signal),
  mask: (value) => call.services.mask(value),
});

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
