import type { GateSuite, PublishGate, Workflow } from '@millrace/contracts';
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Saving } from '../session/saving.ts';
import { showInEditor } from '../testing/show-in-editor.tsx';
import { PublishDialog } from './publish-dialog.tsx';

const ID = '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a10';
const VERSION = '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a11';
const SUITE = '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a12';
const RUN = '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a13';

/** The part of a workflow that the dialog reads. */
const WORKFLOW = {
  id: ID,
  version_id: VERSION,
  version_number: 3,
  published: true,
  unpublished_changes: true,
  updated_at: '2026-01-01T00:00:00.000Z',
  nodes: [],
  edges: [],
} as Partial<Workflow> as Workflow;

const suite = (part: Partial<GateSuite>): GateSuite => ({
  suite_id: SUITE,
  suite_name: 'Greetings',
  least_pass_percent: 80,
  judge_credential_id: null,
  judge_model: null,
  state: 'not_run',
  run_id: null,
  total_count: 0,
  done_count: 0,
  pass_count: 0,
  pass_percent: null,
  error: null,
  finished_at: null,
  ...part,
});
const running = (done_count: number) => suite({ state: 'running', run_id: RUN, total_count: 4, done_count });
const ended = (state: 'passed' | 'failed', pass_count: number) =>
  suite({
    state,
    run_id: RUN,
    total_count: 4,
    done_count: 4,
    pass_count,
    pass_percent: (pass_count / 4) * 100,
  });

let suites: GateSuite[];
let mayOverride: boolean;
let sent: { path: string; body: unknown }[];
let refusesPublish: boolean;
/** The fields that were saved elsewhere meanwhile. */
let theirs: Partial<Workflow> | undefined;
let savedByMe: boolean;
let isDown: boolean;
let discards: number;

const gate = (): PublishGate => ({
  suites,
  passes: suites.every(({ state }) => state === 'passed'),
  may_override: mayOverride,
});

async function answer(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const path = String(input);
  if (init?.method === 'POST')
    sent.push({ path, body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined });
  if (path.endsWith('/publish-gate/runs')) {
    if (isDown) return Response.json({ detail: 'The evals cannot start' }, { status: 503 });
    suites = [running(0)];
  }
  if (path.includes('/publish-gate')) return Response.json(gate());
  const isDiscard = init?.method === 'DELETE' && path.includes('/draft');
  if (isDiscard) discards += 1;
  if (isDiscard && isDown) return Response.json({ detail: 'The database is away' }, { status: 503 });
  if ((path.endsWith('/publish') || isDiscard) && theirs)
    return Response.json(
      {
        detail: { message: 'no', graph_saved_by_you: savedByMe, current: { ...WORKFLOW, ...theirs } },
        code: 'conflict',
        request_id: 'r',
      },
      { status: 409 },
    );
  if (path.endsWith('/publish'))
    return refusesPublish
      ? Response.json(
          { detail: { message: 'no', publish_gate: gate() }, code: 'conflict', request_id: 'r' },
          { status: 409 },
        )
      : Response.json({ ...WORKFLOW, version_number: 4 });
  // The canvas with the changes needs a layout, which this DOM does not have.
  if (path.includes('/diff')) return new Promise(() => undefined);
  return Response.json([]);
}

const onClose = vi.fn();
const save = vi.fn<Saving['save']>();
const saving = {
  save,
  settle: vi.fn(),
  replace: vi.fn(),
  base: () => WORKFLOW.updated_at,
} as Partial<Saving> as Saving;

const show = () =>
  showInEditor(
    { nodes: [], edges: [] },
    <PublishDialog workflow={WORKFLOW} saving={saving} onClose={onClose} />,
  );
const button = (name: RegExp) => screen.findByRole('button', { name });
const press = async (name: RegExp) => {
  const found = await button(name);
  await waitFor(() => expect(found.hasAttribute('disabled')).toBe(false));
  await act(async () => fireEvent.click(found));
};
const published = () => sent.filter(({ path }) => path.endsWith('/publish')).map(({ body }) => body);

beforeEach(() => {
  suites = [];
  sent = [];
  mayOverride = true;
  refusesPublish = false;
  [theirs, savedByMe, isDown, discards] = [undefined, true, false, 0];
  vi.clearAllMocks();
  save.mockResolvedValue(true);
  vi.stubGlobal('fetch', answer);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

describe('a workflow whose evals have to pass', () => {
  it('without suites publishes at once, and shows no evals', async () => {
    await show();
    await press(/^Publish/);
    await waitFor(() => expect(onClose).toHaveBeenCalled());
    expect(published()).toEqual([{ note: '', base_updated_at: WORKFLOW.updated_at }]);
    expect(screen.queryByText('Required evals')).toBeNull();
  });

  it('lists what each suite reached and needs, with a way to its results', async () => {
    suites = [
      ended('failed', 2),
      suite({ suite_id: ID, suite_name: 'Tone' }),
      suite({ suite_id: VERSION, suite_name: 'Gone', state: 'deleted' }),
    ];
    await show();
    expect((await screen.findByText(/50% of the test cases passed \(2 of 4\), 80% needed/)).isConnected).toBe(
      true,
    );
    expect(screen.getByText('80% of the test cases have to pass on this draft').isConnected).toBe(true);
    expect(screen.getByText('The owner has to remove it in the workflow settings').isConnected).toBe(true);
    const [results, ...others] = screen.getAllByRole('link', { name: 'Results' });
    expect(results?.getAttribute('href')).toBe(`/evals/${SUITE}/runs/${RUN}`);
    expect(others).toEqual([]);
  });

  it('runs the evals, shows how far they are, and publishes when all have passed', async () => {
    suites = [suite({})];
    await show();
    await press(/Run evals and publish/);
    expect((await screen.findByText('0 of 4')).isConnected).toBe(true);
    expect(published()).toEqual([]);
    suites = [running(3)];
    expect((await screen.findByText('3 of 4', undefined, { timeout: 4_000 })).isConnected).toBe(true);
    suites = [ended('passed', 4)];
    await waitFor(() => expect(published()).toHaveLength(1), { timeout: 4_000 });
    expect(onClose).toHaveBeenCalledTimes(1);
  });

  it('publishes nothing when they do not pass, and says so', async () => {
    suites = [suite({})];
    await show();
    await press(/Run evals and publish/);
    suites = [ended('failed', 1)];
    const said = await screen.findByText(/have not passed, so nothing was published/, undefined, {
      timeout: 4_000,
    });
    expect(said.getAttribute('role')).toBe('alert');
    expect(published()).toEqual([]);
    expect((await button(/Run evals and publish/)).hasAttribute('disabled')).toBe(false);
  });

  it('lets the owner publish with a reason, and asks for one', async () => {
    suites = [ended('failed', 1)];
    await show();
    await press(/Publish anyway/);
    const go = await button(/Publish without passing evals/);
    expect(go.hasAttribute('disabled')).toBe(true);
    fireEvent.change(screen.getByLabelText(/Reason for publishing anyway/), {
      target: { value: 'The suite is out of date' },
    });
    await press(/Publish without passing evals/);
    await waitFor(() =>
      expect(published()).toEqual([
        { note: '', base_updated_at: WORKFLOW.updated_at, override_reason: 'The suite is out of date' },
      ]),
    );
  });

  it('offers collaborators no way past it', async () => {
    suites = [suite({})];
    mayOverride = false;
    await show();
    await button(/Run evals and publish/);
    expect(screen.queryByRole('button', { name: /anyway/ })).toBeNull();
  });

  it('reads what holds the draft again when the server refuses it', async () => {
    suites = [ended('passed', 4)];
    refusesPublish = true;
    await show();
    const go = await button(/^Publish/);
    await waitFor(() => expect(go.hasAttribute('disabled')).toBe(false));
    suites = [suite({ state: 'outdated' })];
    await act(async () => fireEvent.click(go));
    expect((await screen.findByText(/have not passed, so nothing was published/)).isConnected).toBe(true);
    expect((await screen.findByText('Outdated')).isConnected).toBe(true);
    expect(saving.replace).not.toHaveBeenCalled();
  });

  it('has nothing to run where a suite was deleted', async () => {
    suites = [suite({ state: 'deleted' })];
    await show();
    await screen.findByText('Deleted');
    expect((await button(/Run evals and publish/)).hasAttribute('disabled')).toBe(true);
  });
});

describe('a workflow that was saved elsewhere meanwhile', () => {
  const CHANGED = { nodes: [{ id: 'a', type: 'set', position: { x: 0, y: 0 }, data: {} }] };

  const RENAMED = { name: 'Renamed' };

  describe.each([
    ['published', /^Publish/],
    ['discarded', /^Discard/],
  ])('is not %s', (_done, way) => {
    it.each<[string, Partial<Workflow>, RegExp, 'replace' | 'settle']>([
      ['its graph', CHANGED, /^You saved this workflow somewhere else/, 'replace'],
      ['its name alone', RENAMED, /^The name or the settings of this workflow were changed/, 'settle'],
    ])('and %s is taken over', async (_what, saved, said, taken) => {
      theirs = saved;
      await show();
      await press(way);
      expect((await screen.findByText(said)).getAttribute('role')).toBe('alert');
      expect(saving[taken]).toHaveBeenCalledWith({ ...WORKFLOW, ...saved });
      expect(saving[taken === 'replace' ? 'settle' : 'replace']).not.toHaveBeenCalled();
      expect(onClose).not.toHaveBeenCalled();
    });
  });

  it('says who saved it when it was another person', async () => {
    [theirs, savedByMe] = [CHANGED, false];
    await show();
    await press(/^Discard/);
    expect((await screen.findByText(/^Someone else saved this workflow/)).isConnected).toBe(true);
  });
});

it('says why the last attempt was refused, not an earlier one', async () => {
  theirs = { name: 'Renamed' };
  await show();
  await press(/^Publish/);
  await screen.findByText(/^The name or the settings/);
  theirs = undefined;
  isDown = true;
  await press(/^Discard/);
  expect((await screen.findByText('The database is away')).getAttribute('role')).toBe('alert');
  expect(screen.queryByText(/^The name or the settings/)).toBeNull();
});

describe('where evals have to pass', () => {
  const evalsFailed = async () => {
    suites = [suite({})];
    isDown = true;
    await show();
    await press(/Run evals and publish/);
    await screen.findByText('The evals cannot start');
    isDown = false;
  };

  it('says why the draft was not published, not what the evals came to before', async () => {
    await evalsFailed();
    theirs = { name: 'Renamed' };
    await press(/Publish anyway/);
    fireEvent.change(screen.getByLabelText(/Reason for publishing anyway/), { target: { value: 'Old' } });
    await press(/Publish without passing evals/);
    expect((await screen.findByText(/^The name or the settings/)).getAttribute('role')).toBe('alert');
  });

  it('says why the draft was not discarded, not what the evals came to before', async () => {
    await evalsFailed();
    theirs = { name: 'Renamed' };
    await press(/^Discard/);
    expect((await screen.findByText(/^The name or the settings/)).getAttribute('role')).toBe('alert');
  });

  it('says nothing of an earlier refusal while evals run', async () => {
    suites = [suite({})];
    theirs = { name: 'Renamed' };
    await show();
    await press(/^Discard/);
    await screen.findByText(/^The name or the settings/);
    await press(/Run evals and publish/);
    await screen.findByText('0 of 4');
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

it.each([true, false])('discards the draft after a save that is under way (saved: %s)', async (isSaved) => {
  let end = (_isSaved: boolean) => undefined as void;
  save.mockReturnValue(
    new Promise((resolve) => {
      end = resolve;
    }),
  );
  await show();
  await press(/^Discard/);
  expect(discards).toBe(0);
  end(isSaved);
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(discards).toBe(1);
});
