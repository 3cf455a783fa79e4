import { field } from '@millrace/engine';
import { z } from 'zod';

const IMAGE = { group: 'Answer', shown_when: [{ field: 'outputType', is: ['image'] }] };

/** How the Language Model node alone may ask and answer. */
export const answerParams = {
  userMessage: field
    .custom(
      z.union([z.string(), z.array(z.json())], { error: 'must be text, or a list of texts in batch mode' }),
      'User message',
      {
        kind: 'multiline',
        mode: 'prompt',
        help: 'When it is empty, the model gets the texts of all inputs. In batch mode it is a list of messages.',
      },
    )
    .default('$input.text'),
  outputType: field
    .choice('Output type', ['text', 'image'], {
      group: 'Answer',
      choices: [
        { value: 'text', title: 'Text' },
        { value: 'image', title: 'Image' },
      ],
      help: 'Needs a model that generates images. The image is stored in the Drive.',
    })
    .default('text'),
  imageSize: field
    .template('Image size', {
      ...IMAGE,
      help: 'Width and height in pixels, as the model takes them. Empty: left to the model.',
      placeholder: '1536x1024',
    })
    .default('1024x1024'),
  imageQuality: field
    .template('Image quality', {
      ...IMAGE,
      help: 'A word that the model knows, such as low, medium or high. With auto it is left to the model.',
      placeholder: 'auto',
    })
    .default('auto'),
  batchModeEnabled: field
    .boolean('Batch mode', {
      group: 'Request',
      help: 'Asks every message of a list, at a lower price and within 24 hours. For OpenAI and compatible servers.',
    })
    .default(false),
};
