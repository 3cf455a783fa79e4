import { listModels } from '@millrace/models';
import type { NodeImplementation } from '../../implement.ts';
import { choicesFrom } from '../integration/choices.ts';
import { openModelService } from './model-service.ts';

/** The models that a credential opens and that answer with what the node wants; `Auto` for a router. */
export const modelChoices: NodeImplementation['choices'] = {
  async models({ caller, config, type = '', keepModels = (ask) => ask() }, request) {
    if (type === 'model_router') return choicesFrom(['Auto'], request, (id) => ({ value: id, label: id }));
    const wanted = request.params['outputType'] === 'image' ? 'image' : 'text';
    const listed = await keepModels(() => listModels(caller, openModelService(type, config)));
    const models = listed.filter(({ answers_with }) => answers_with.includes(wanted));
    return choicesFrom(models, request, ({ id, name, capabilities }) => ({
      value: id,
      label: name,
      ...(name === id ? {} : { hint: id }),
      ...(capabilities ? { capabilities } : {}),
    }));
  },
};
