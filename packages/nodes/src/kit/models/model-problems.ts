import type { ParamProblem } from '@millrace/engine';
import { isOn } from '../values/is-on.ts';

/** The only model of a router (specification 2.7). */
const AUTO = /^\s*auto\s*$/i;

/** Parameters by name, stored or evaluated. */
type Values = Readonly<Record<string, unknown>>;

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
export const isAuto = (value: unknown): boolean => typeof value === 'string' && AUTO.test(value);

/**
 * Problems with the parameters of a node that asks a model, taken together. Of a stored node the form shows them; a run
 * looks again, because expressions have values there.
 */
export function modelProblems(values: Values): ParamProblem[] {
  return [
    ...routerProblems(values),
    ...imageProblems(values),
    ...batchProblems(values),
    ...guardrailProblems(values),
  ];
}

/** Requests of a batch are those of Chat Completions. */
const batchProblems = (values: Values): ParamProblem[] =>
  isOn(values['batchModeEnabled']) && isOn(values['responsesApiEnabled'])
    ? [
        {
          field: 'batchModeEnabled',
          words: 'cannot be combined with the Responses API; switch one of them off',
        },
      ]
    : [];

/** Images are generated one at a time, and from text alone. */
function imageProblems(values: Values): ParamProblem[] {
  if (values['outputType'] !== 'image') return [];
  const excluded = [
    { field: 'batchModeEnabled', words: 'cannot be combined with images as answers; switch one of them off' },
    {
      field: 'imageInputEnabled',
      words:
        'cannot be combined with images as answers, which are made from text alone; switch one of them off',
    },
  ];
  return excluded.filter(({ field }) => isOn(values[field]));
}

/**
 * Settings that a router cannot be combined with (specification 8.4): the answer must not depend on which model it
 * chooses.
 */
function routerProblems(values: Values): ParamProblem[] {
  const excluded = [
    ...(isOn(values['responsesApiEnabled']) ? ['the Responses API'] : []),
    ...(isOn(values['batchModeEnabled']) ? ['batch mode'] : []),
    ...(values['outputType'] === 'image' ? ['images as answers'] : []),
  ];
  const words = `cannot be Auto with ${excluded.join(' and ')}; choose one model, or switch that off`;
  return ['model', 'fallbackModel'].flatMap((field) =>
    excluded.length > 0 && isAuto(values[field]) ? [{ field, words }] : [],
  );
}

/** Without categories guardrails check nothing, so that they need no model. */
export const hasGuardrails = ({ guardrailsEnabled, guardrailsCategories }: Values): boolean =>
  isOn(guardrailsEnabled) && Array.isArray(guardrailsCategories) && guardrailsCategories.length > 0;

function guardrailProblems(values: Values): ParamProblem[] {
  if (!hasGuardrails(values)) return [];
  const found: ParamProblem[] = [];
  if (isBlank(values['guardrailCredentialId'])) {
    found.push({ field: 'guardrailCredentialId', words: 'choose the credential of the model that checks' });
  }
  if (isBlank(values['guardrailModel'])) {
    found.push({ field: 'guardrailModel', words: 'choose the model that checks' });
  } else if (isAuto(values['guardrailModel'])) {
    found.push({
      field: 'guardrailModel',
      words: 'cannot be Auto; choose one model, because a router cannot check messages',
    });
  }
  return found;
}
