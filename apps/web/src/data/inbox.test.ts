import { afterEach, expect, it, vi } from 'vitest';
import { findSendable, sendAgain } from './inbox.ts';

const ID = (at: number) => `0190b6c0-0000-7000-8000-${String(at).padStart(12, '0')}`;

function serve(answer: (address: string, body: { delivery_ids: string[] }) => Response): string[] {
  const addresses: string[] = [];
  vi.stubGlobal('fetch', async (address: string, { body = '{}' }: { body?: string }) => {
    addresses.push(address);
    return answer(address, JSON.parse(body) as { delivery_ids: string[] });
  });
  return addresses;
}

afterEach(() => vi.unstubAllGlobals());

it('finds the deliveries that can be sent on all pages', async () => {
  const entry = (at: number, can_be_sent: boolean) => ({ execution_id: ID(at), refusal: { can_be_sent } });
  const addresses = serve((address) =>
    Response.json(
      address.includes('before=')
        ? { items: [entry(3, true)], next_before: null }
        : { items: [entry(1, true), entry(2, false)], next_before: ID(2) },
    ),
  );
  expect(await findSendable({ search: 'order' })).toEqual([ID(1), ID(3)]);
  expect(addresses[1]).toContain(`kind=refused&before=${ID(2)}`);
  expect(addresses[1]).toContain('search=order');
});

const ids = Array.from({ length: 250 }, (_, at) => ID(at));

it('sends as many at once as the server takes, and says why others were not sent', async () => {
  serve((_, { delivery_ids }) =>
    Response.json({
      sent: delivery_ids.length - 1,
      not_sent: [{ delivery_id: delivery_ids[0], message: 'Its content was not kept' }],
    }),
  );
  expect(await sendAgain(ids)).toEqual({ sent: 247, reasons: Array(3).fill('Its content was not kept') });
});

it('says what was sent before a request failed', async () => {
  let requests = 0;
  serve((_, { delivery_ids }) => {
    requests += 1;
    return requests === 2
      ? Response.json({ detail: 'Busy' }, { status: 503 })
      : Response.json({ sent: delivery_ids.length, not_sent: [] });
  });
  const { sent, reasons } = await sendAgain(ids);
  expect([sent, reasons.length, reasons[0]]).toEqual([100, 150, 'Busy']);
  expect(requests).toBe(2);
});

it('fails when nothing was sent', async () => {
  serve(() => Response.json({ detail: 'Busy' }, { status: 503 }));
  await expect(sendAgain(ids)).rejects.toThrow('Busy');
});
