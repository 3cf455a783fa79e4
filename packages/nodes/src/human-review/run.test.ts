import { expect, test } from 'vitest';
import { runNode, TEST_NOW, traceNode } from '../testing/run-node.ts';

const data = { summary: 'Check *this*', draft: 'Dear $start.name' };
const inputs = { start: { name: 'Ada' } };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const decided = (decision: string, brought: Record<string, string> = {}) => ({
  review: { decision, data: brought },
});

test('the node waits for a review of its draft for a week, and shows the link', async () => {
  const { result, trace } = await traceNode('humanReview', data, { decisions: 'none', inputs });
  const due_at = TEST_NOW + 168 * 3_600_000;
  expect(result).toMatchObject({ suspension: { key: 'review', kind: 'review', due_at } });
  const [wait] = trace.waits;
  expect(wait).toMatchObject({ has_address: true, decisions: ['accepted', 'edited', 'refused'] });
  const url = 'https://test/reviews/review';
  expect(wait?.payload).toEqual({
    decision: null,
    summary: 'Check *this*',
    draftText: 'Dear Ada',
    reviewUrl: url,
    requestId: expect.stringMatching(UUID),
    expiresAt: new Date(due_at).toISOString(),
    shareText: `Check *this*\n\n${url}`,
    shareMarkdown: `**Check \\*this\\***\n\n[Open the review](<${url}>)`,
  });
});

test('without a summary the texts to share still say what they are', async () => {
  const { trace } = await traceNode('humanReview', { draft: 'x' }, { decisions: 'none' });
  expect(trace.waits[0]?.payload).toMatchObject({
    summary: '',
    shareText: expect.stringMatching(/^A review is needed\n/),
  });
});

test('an accepted draft continues as it was', async () => {
  const result = await runNode('humanReview', data, { decisions: decided('accepted'), inputs });
  expect(result).toMatchObject({
    output: { text: 'Dear Ada', decision: 'accepted', originalDraft: 'Dear Ada', reviewText: 'Dear Ada' },
    ports: ['accepted'],
  });
  expect((result as { output: object }).output).not.toHaveProperty('editedText');
});

test('an edited draft continues with the edit, at the same side', async () => {
  const decisions = decided('edited', { edited_text: 'Hello Ada', reviewer_name: 'Grace' });
  expect(await runNode('humanReview', data, { decisions, inputs })).toMatchObject({
    output: {
      text: 'Hello Ada',
      decision: 'edited',
      originalDraft: 'Dear Ada',
      reviewText: 'Hello Ada',
      editedText: 'Hello Ada',
      reviewerName: 'Grace',
      hitlHistory: [
        { decision: 'edited', reviewerName: 'Grace', decidedAt: new Date(TEST_NOW).toISOString() },
      ],
    },
    ports: ['accepted'],
  });
});

test('a refused draft continues without a text', async () => {
  const decisions = decided('refused', { refusal_reason: 'too short' });
  expect(await runNode('humanReview', data, { decisions, inputs })).toMatchObject({
    output: { text: '', decision: 'refused', refusalReason: 'too short', originalDraft: 'Dear Ada' },
    ports: ['refused'],
  });
});

test('without a decision in time it continues at the side "timed_out"', async () => {
  expect(await runNode('humanReview', data, { inputs })).toMatchObject({
    output: { timed_out: true, text: '', originalDraft: 'Dear Ada' },
    ports: ['timed_out'],
  });
});

test('an edit that cannot be decrypted fails the node instead of passing the draft', async () => {
  expect(await runNode('humanReview', data, { decisions: decided('edited'), inputs })).toMatchObject({
    failure: { kind: 'internal', message: expect.stringContaining('can no longer be read') },
  });
});

test('two rounds have requests of their own, and a repetition has the same', async () => {
  const traceRequestId = async (id: string) =>
    (await traceNode('humanReview', data, { decisions: 'none', id })).trace.waits[0]?.payload['requestId'];
  expect(await traceRequestId('a')).toBe(await traceRequestId('a'));
  expect(await traceRequestId('a')).not.toBe(await traceRequestId('b'));
});

test.each([0, -1, 'soon', 1e9])('%j hours are refused', async (expiresInHours) => {
  expect(await runNode('humanReview', { ...data, expiresInHours })).toMatchObject({
    failure: { kind: 'params', field: 'expiresInHours' },
  });
});
