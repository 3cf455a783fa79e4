import { chatStream } from '../../../packages/models/src/testing/fake-provider.ts';
import { createWorkflow, expect, test } from '../support/journey.ts';
import { addModel, says, startModels, uses } from '../support/models.ts';
import { ORDERS } from '../support/orders.ts';
import { everyLook, speakGerman } from './looks.ts';

const ANSWER = `Three workflows failed today; **Invoice reminder** most often.

| Workflow | Runs | Failed | Reason |
| --- | ---: | ---: | --- |
| Invoice reminder | 148 | 12 | Invoice 2026-18 has no e-mail address |
| Order intake | 930 | 4 | The warehouse did not answer within 30 seconds |
| Nightly export | 1 | 1 | The archive is full |

The quickest cure is a condition before \`refuse\`:

\`\`\`json
{
  "condition": "$invoice.body.email != null && $invoice.body.email.includes('@') && !$invoice.body.email.endsWith('.invalid')"
}
\`\`\`

1. Add the condition.
2. Send the false branch to the list *without address*.
3. Run the failed ones again from the [inbox](/inbox).`;

everyLook(
  'the assistant',
  async ({ join, take }) => {
    const person = await join();
    const { page } = person;
    await page.goto('/assistant');
    await expect(page.getByRole('link', { name: 'Add a credential' })).toBeVisible();
    await take(page, 'assistant-no-model');
    const models = await startModels();
    await addModel(person, models);
    const { id } = await createWorkflow(person, ORDERS);
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Ask about your workflows' })).toBeVisible();
    await take(page, 'assistant-empty');
    await page.getByRole('combobox', { name: /Model/ }).last().click();
    await page.getByRole('option', { name: 'large-1' }).click();
    await take(page, 'assistant-ready');
    const message = page.getByRole('textbox', { name: 'Message' });
    models.answer(uses('list_workflows', {}), uses('list_runs', {}), says(ANSWER));
    await message.fill(
      'Which workflows failed today, why, and what would you do about the one that fails most?',
    );
    await message.press('Enter');
    await expect(page.getByRole('cell', { name: 'The archive is full' })).toBeVisible();
    await take(page, 'assistant-answer');
    models.answer(uses('run_workflow', { workflow_id: id, input: { customer: 'Grace', amount: '900' } }));
    await message.fill('Run Order intake for Grace, 900');
    await message.press('Enter');
    const card = page.getByRole('region', { name: 'Run “Order intake”?' });
    await expect(card).toBeVisible();
    await take(page, 'assistant-confirm');
    models.answer(says('Grace pays **1,080 €**; the order needs a review.'));
    await card.getByRole('button', { name: 'Confirm' }).click();
    await expect(page.getByText('the order needs a review')).toBeVisible();
    await take(page, 'assistant-confirmed');
    models.answer({ chunks: chatStream(['Once upon a time']).slice(0, 2), end: 'hang' });
    await message.fill('Tell me more');
    await message.press('Enter');
    await expect(page.getByText('Once upon a time')).toBeVisible();
    await take(page, 'assistant-thinking');
    await page.getByRole('button', { name: 'Stop' }).click();
    models.answer({
      status: 400,
      headers: { 'content-type': 'application/json' },
      chunks: [JSON.stringify({ error: { message: 'Your credit balance is too low to call the model' } })],
    });
    await message.fill('And now?');
    await message.press('Enter');
    await expect(page.getByRole('alert')).toBeVisible();
    await take(page, 'assistant-failed');
    await speakGerman(page.context());
    await page.reload();
    await page.getByRole('button', { name: 'Neuer Chat' }).click();
    await take(page, 'assistant-german-empty');
    await page.getByRole('button', { name: 'Frühere Chats' }).click();
    const chats = page.getByRole('dialog', { name: 'Frühere Chats' });
    await expect(chats.getByRole('listitem')).toHaveCount(1);
    await take(page, 'assistant-chats');
    await chats.getByRole('listitem').getByRole('button').first().click();
    await expect(page.getByText('the order needs a review')).toBeVisible();
    await take(page, 'assistant-german');
    models.stop();
  },
  test,
);

everyLook(
  'the assistant of the editor',
  async ({ join, take }) => {
    const person = await join();
    const { page } = person;
    const models = await startModels();
    const { id } = await createWorkflow(person, ORDERS);
    const open = async () => {
      await page.goto(`/workflows/${id}`);
      await page
        .getByRole('region', { name: 'Workflow', exact: true })
        .getByRole('button', { name: /^(More|Mehr)$/ })
        .click();
      await page.getByRole('menuitem', { name: /^(Assistant|Assistent)$/ }).click();
    };
    const dialog = page.getByRole('dialog', { name: /^(Assistant|Assistent)$/ });
    await open();
    await expect(dialog.getByRole('link', { name: 'Add a credential' })).toBeVisible();
    await take(page, 'editor-assistant-no-model');
    await addModel(person, models);
    await open();
    await expect(dialog.getByRole('textbox')).toBeVisible();
    await take(page, 'editor-assistant-empty');
    await dialog.getByRole('combobox', { name: /Model/ }).last().click();
    await page.getByRole('option', { name: 'large-1' }).click();
    const [order, priced, isLarge, review, answer] = ORDERS.nodes;
    models.answer(
      uses('propose_workflow', {
        name: ORDERS.name,
        nodes: [
          order,
          {
            ...priced,
            data: {
              ...priced?.data,
              mappings: [
                { key: 'customer', value: '$order.body.customer' },
                { key: 'total', value: '$round($int($order.body.amount) * 1.19, 2)' },
              ],
            },
          },
          isLarge,
          { id: 'pause', type: 'wait', data: { label: 'pause', duration: 60_000 } },
          {
            id: 'mail',
            type: 'sendEmail',
            data: {
              label: 'askGrace',
              to: 'grace@example.com',
              subject: 'A large order of $priced.customer',
            },
          },
          answer,
        ],
        edges: [
          { source: 'in', target: 'set' },
          { source: 'set', target: 'if' },
          { source: 'if', target: 'pause', sourceHandle: 'true' },
          { source: 'pause', target: 'mail' },
          { source: 'if', target: 'small', sourceHandle: 'false' },
        ],
      }),
      says(
        'Large orders now wait a minute and ask **Grace** by mail. The tax is 19 % from now on. `',
        review?.id ?? '',
        '` is gone, for the mail takes its place.',
      ),
    );
    await dialog
      .getByRole('textbox', { name: 'Message' })
      .fill('Ask Grace by mail before large orders are accepted, and use the new tax of 19 %');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await expect(dialog.getByText('takes its place')).toBeVisible();
    await take(page, 'editor-assistant');
    await expect(dialog.getByRole('region', { name: 'Proposed change' })).toBeVisible();
    await dialog.getByRole('button', { name: 'Accept' }).scrollIntoViewIfNeeded();
    await take(page, 'editor-assistant-proposal');
    await dialog.getByRole('textbox', { name: 'Message' }).scrollIntoViewIfNeeded();
    await take(page, 'editor-assistant-bottom');
    models.answer({
      status: 400,
      headers: { 'content-type': 'application/json' },
      chunks: [JSON.stringify({ error: { message: 'Your credit balance is too low to call the model' } })],
    });
    await dialog.getByRole('textbox', { name: 'Message' }).fill('And now?');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await expect(dialog.getByRole('alert')).toBeVisible();
    await take(page, 'editor-assistant-failed');
    await speakGerman(page.context());
    await open();
    await take(page, 'editor-assistant-german');
    models.stop();
  },
  test,
);
