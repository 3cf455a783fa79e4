import type { JsonObject } from '@millrace/engine';
import { decide } from '@millrace/models';
import { implement } from '../implement.ts';
import { requiredText } from '../kit/integration/object-input.ts';
import { openDecisionService } from '../kit/models/decision-service.ts';
import { createModelCaller, watchCalls } from '../kit/models/model-caller.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { evaluated } from '../kit/values/mapped-object.ts';
import { decision } from './definition.ts';
import { parseQuestions, readCustomBody } from './questions.ts';

export const runDecision = implement(decision, async (call) => {
  const { params, services } = call;
  const credential_id = params.credentialId.trim();
  if (credential_id === '') throw refusedParam('credentialId', 'choose the decision model');
  const body = readCustomBody(params.customBodyEnabled, evaluated(params.customBody)) ?? {
    model: requiredText(params, 'model'),
    state: evaluated(params.state),
    questions: parseQuestions(params.questions),
  };
  const timeout_ms = Math.round(params.requestTimeoutSeconds * 1_000);
  // Recorded, so that a run that is taken over does not pay for the same answers again.
  const output = await call.step<JsonObject>('call', 'read', async (step) => {
    const credential = await services.credential(credential_id);
    const caller = { ...createModelCaller(call, step), ...watchCalls(call, step)(credential) };
    return decide(caller, openDecisionService(credential), { body, timeout_ms });
  });
  return { output };
});
