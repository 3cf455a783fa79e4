import type { SkillSummary } from '@millrace/contracts';
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { showInEditor } from '../../editor/testing/show-in-editor.tsx';
import { ConfirmHost } from '../../ui/overlays/confirm-host.tsx';
import { listenToToasts } from '../../ui/testing/listen-to-toasts.ts';
import { SkillsPage } from './skills-page.tsx';

const OWN = '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a11';
const THEIRS = '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a12';
const AT = '2026-01-01T00:00:00.000Z';

const summary = (part: Partial<SkillSummary>): SkillSummary => ({
  id: OWN,
  name: 'Prices',
  description: 'Looks up prices',
  file_count: 3,
  size_bytes: 1_250,
  version: 3,
  owner_id: OWN,
  created_at: AT,
  updated_at: AT,
  is_shared: false,
  shared_by: null,
  shared_by_team: null,
  ...part,
});
const own = summary({});
const shared = summary({ id: THEIRS, name: 'Letters', is_shared: true, shared_by: 'grace@x.example' });

const text = (path: string, content: string) => ({ path, content, encoding: 'text' });
const LOGO = { path: 'logo.png', content: 'AP8=', encoding: 'base64' };
const CONTENTS: Record<number, object> = {
  3: {
    content: '# Prices\nin euros',
    files: [text('main.py', 'print(2)'), text('requirements.txt', '# dates\nsix==1.17.0'), LOGO],
    timeout_seconds: 60,
  },
  2: {
    content: '# Prices\nin euros',
    files: [text('main.py', 'print(2)'), text('requirements.txt', '# dates\nsix==1.17.0'), LOGO],
    timeout_seconds: 60,
  },
  1: {
    content: '# Prices\nin dollars',
    files: [text('main.py', 'print(1)'), text('notes.txt', 'old')],
    timeout_seconds: 30,
  },
};
const version = (number: number) => ({
  number,
  name: 'Prices',
  description: '',
  file_count: 2,
  size_bytes: 20,
  is_current: number === 3,
  created_by_name: 'Grace Hopper',
  created_at: AT,
});

let listed: SkillSummary[];
let sent: string[];
let refusals: Map<string, Response>;
let toasts: string[];
let disconnect: () => void;

async function answer(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const { method = 'GET' } = init;
  const call = `${method} ${String(input).replace(/^.*\/api\/skills/, '')}`;
  if (method !== 'GET') sent.push(call);
  const refusal = refusals.get(call);
  if (refusal) return refusal.clone();
  if (method === 'DELETE') return new Response(null, { status: 204 });
  if (call.startsWith('POST /import'))
    return Response.json({ skills: [own], skipped: ['README.md'] }, { status: 201 });
  const [, id = '', versions, number] = call.slice('GET '.length).split(/[/?]/);
  if (versions === 'versions' && /^\d+$/.test(number ?? ''))
    return Response.json({ ...version(Number(number)), ...CONTENTS[Number(number)] });
  if (versions === 'versions') return Response.json({ items: [3, 2, 1].map(version), total: 3 });
  const one = listed.find((skill) => skill.id === id);
  if (one) return Response.json({ ...one, ...CONTENTS[3] });
  return Response.json({ items: listed, total: listed.length });
}

const refused = (status: number, detail: unknown) =>
  Response.json({ detail, code: 'conflict', request_id: 'r' }, { status });

beforeEach(() => {
  listed = [own, shared];
  sent = [];
  refusals = new Map();
  toasts = [];
  disconnect = listenToToasts((toast) => toasts.push(toast.text));
  vi.stubGlobal('fetch', answer);
});
afterEach(() => {
  cleanup();
  disconnect();
  vi.unstubAllGlobals();
});

const show = () =>
  showInEditor(
    { nodes: [], edges: [] },
    <>
      <SkillsPage />
      <ConfirmHost />
    </>,
  );
const press = async (name: string | RegExp, inside: HTMLElement = document.body) => {
  const button = await within(inside).findByRole('button', { name });
  await act(async () => fireEvent.click(button));
};
const openMenu = async (name: string) => {
  const button = await screen.findByRole('button', { name: `Actions for ${name}` });
  await act(async () => fireEvent.keyDown(button, { key: 'Enter' }));
};
const choose = async (item: string) => {
  const found = await screen.findByRole('menuitem', { name: item });
  await act(async () => fireEvent.click(found));
};
const itemsOfMenu = () => screen.getAllByRole('menuitem').map(({ textContent }) => textContent);
const dialog = (name: string | RegExp) => screen.findByRole('dialog', { name });

describe('the list of skills', () => {
  it('has own and shared skills, and says who shares', async () => {
    await show();
    const row = (name: string) => screen.findByRole('row', { name: new RegExp(`^${name}`) });
    expect((await row('Prices')).textContent).toContain('You');
    expect((await row('Letters')).textContent).toContain('grace@x.example');
  });

  it('offers the owner all actions, and others only those that are not refused', async () => {
    await show();
    await openMenu('Prices');
    expect(itemsOfMenu()).toEqual(['Versions…', 'Download ZIP', 'Edit', 'Share…', 'Delete']);
    await act(async () => fireEvent.keyDown(screen.getByRole('menu'), { key: 'Escape' }));
    await openMenu('Letters');
    expect(itemsOfMenu()).toEqual(['Versions…', 'Download ZIP', 'Open', 'Leave']);
  });

  it('lets others leave a skill after a question, but not one that only a team has', async () => {
    await show();
    await openMenu('Letters');
    await choose('Leave');
    const question = await dialog('Leave “Letters”?');
    expect(sent).toEqual([]);
    listed = [own];
    await press('Leave', question);
    await waitFor(() => expect(toasts).toEqual(['You have left “Letters”']));
    expect(sent).toEqual([`DELETE /${THEIRS}/shares/me`]);
    await waitFor(() => expect(screen.queryByRole('row', { name: /^Letters/ })).toBeNull());
    cleanup();
    listed = [{ ...shared, shared_by_team: 'Support' }];
    await show();
    await openMenu('Letters');
    expect(itemsOfMenu()).toEqual(['Versions…', 'Download ZIP', 'Open']);
  });

  it('says what to do while there are none', async () => {
    listed = [];
    await show();
    expect(await screen.findByText('No skills yet')).toBeTruthy();
    expect(screen.getAllByRole('button', { name: 'New skill' })).toHaveLength(2);
    expect(screen.getAllByRole('button', { name: 'Import ZIP' })).toHaveLength(2);
  });
});

describe('a skill of another person', () => {
  it('shows who owns it and what it holds, and nothing to change it with', async () => {
    await show();
    await press('Letters');
    const view = await dialog('Letters');
    expect(within(view).getByText(/^Owned by grace@x.example\. .*only its owner can change it/)).toBeTruthy();
    expect((await within(view).findByRole('region', { name: 'Text of SKILL.md' })).textContent).toBe(
      '# Prices\nin euros',
    );
    expect(within(view).getByText('six==1.17.0')).toBeTruthy();
    expect(within(view).getByText('1.25 kB')).toBeTruthy();
    expect(within(view).getByText('Binary file, 2 B')).toBeTruthy();
    expect(within(view).queryByRole('region', { name: 'Text of main.py' })).toBeNull();
    await press(/^main\.py/, view);
    expect(within(view).getByRole('region', { name: 'Text of main.py' }).textContent).toBe('print(2)');
    expect(within(view).queryAllByRole('textbox')).toEqual([]);
    expect(within(view).getByRole('button', { name: 'Download ZIP' })).toBeTruthy();
    for (const name of [/save/i, /delete/i, /share/i])
      expect(within(view).queryByRole('button', { name })).toBeNull();
    await act(async () => fireEvent.keyDown(view, { key: 'Escape' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('names the team that it is shared with', async () => {
    listed = [{ ...shared, shared_by_team: 'Back office' }];
    await show();
    await press('Letters');
    expect(await screen.findByText(/shared with your team “Back office”/)).toBeTruthy();
  });

  it('says so when the share has ended meanwhile', async () => {
    refusals.set(`GET /${THEIRS}`, refused(404, 'Skill not found'));
    await show();
    await press('Letters');
    expect((await within(await dialog('Letters')).findByRole('alert')).textContent).toContain(
      'Skill not found',
    );
  });
});

describe('the versions of a skill', () => {
  const openVersions = async (name: string) => {
    await show();
    await openMenu(name);
    await choose('Versions…');
    return dialog(`Versions of “${name}”`);
  };

  it('show what the newest holds, and what has changed since an old one', async () => {
    const view = await openVersions('Prices');
    expect(await within(view).findByRole('region', { name: 'Text of SKILL.md' })).toBeTruthy();
    expect(within(view).queryByRole('button', { name: /^Restore/ })).toBeNull();
    await press(/^Version 1/, view);
    const changes = await within(view).findByRole('list', { name: 'Changes since' });
    expect([...changes.children].map((item) => item.querySelector('button, div')?.textContent)).toEqual([
      'SKILL.mdChanged',
      'main.pyChanged',
      'notes.txtRemoved',
      'requirements.txtAdded',
      'logo.pngAdded',
    ]);
    const diff = within(changes).getByRole('region', { name: 'Changes in SKILL.md' });
    expect(diff.querySelector('del')?.textContent).toBe('−in dollars');
    expect(diff.querySelector('ins')?.textContent).toBe('+in euros');
    expect(within(view).getByText('Script timeout: 60 seconds, previously 30')).toBeTruthy();
    fireEvent.mouseDown(within(view).getByRole('tab', { name: 'Content' }), { button: 0 });
    expect((await within(view).findByRole('region', { name: 'Text of SKILL.md' })).textContent).toContain(
      'in dollars',
    );
    await press('Restore version 1', view);
    await waitFor(() => expect(sent).toEqual([`POST /${OWN}/versions/1/restore`]));
  });

  it('say when an old one holds the same as the newest', async () => {
    const view = await openVersions('Prices');
    await press(/^Version 2/, view);
    expect(await within(view).findByText(/^Version 2 and version 3, .* have the same content/)).toBeTruthy();
  });

  it('are looked at by others, who cannot restore one', async () => {
    const view = await openVersions('Letters');
    await press(/^Version 1/, view);
    expect(await within(view).findByRole('list', { name: 'Changes since' })).toBeTruthy();
    expect(within(view).queryByRole('button', { name: /^Restore/ })).toBeNull();
  });
});

describe('the import of a ZIP', () => {
  const drop = async () => {
    await show();
    const files = [new File(['zip'], 'prices.zip', { type: 'application/zip' })];
    const target = await screen.findByRole('table', { name: 'Skills' });
    await act(async () => void fireEvent.drop(target, { dataTransfer: { types: ['Files'], files } }));
  };

  it('says what was imported and left out', async () => {
    await drop();
    await waitFor(() => expect(toasts).toHaveLength(2));
    expect(toasts[0]).toBe('1 skill imported');
    expect(toasts[1]).toContain('1 file was left out because it is in no folder with a SKILL.md');
  });

  it('shows why one is refused, with its name', async () => {
    refusals.set('POST /import', refused(400, 'The archive has no SKILL.md'));
    await drop();
    await waitFor(() => expect(toasts).toEqual(['prices.zip: The archive has no SKILL.md']));
    expect(sent).toEqual(['POST /import']);
  });

  it('replaces skills of the same name only when the person agrees', async () => {
    const message = 'You already have skills of these names: "Prices"';
    refusals.set('POST /import', refused(409, { message, names: ['Prices'] }));
    await drop();
    const asked = await dialog('Replace skills of the same name?');
    expect(asked.textContent).toContain(message);
    expect(sent).toEqual(['POST /import']);
    await press('Replace', asked);
    await waitFor(() => expect(sent).toEqual(['POST /import', 'POST /import?replace=true']));
  });
});

describe('the deletion of a skill', () => {
  const remove = async () => {
    await show();
    await openMenu('Prices');
    await choose('Delete');
    await press('Delete', await dialog('Delete “Prices”?'));
  };
  const used = () => {
    const message = 'Agents use the skill in "Quotes", 2 workflows of other people';
    refusals.set(`DELETE /${OWN}`, refused(409, { message, workflows: ['Quotes'], hidden_workflows: 2 }));
  };

  it('asks once where no agent uses it', async () => {
    await remove();
    await waitFor(() => expect(toasts).toEqual(['“Prices” deleted']));
    expect(sent).toEqual([`DELETE /${OWN}`]);
  });

  it('names the workflows that use the skill, and deletes it after a second confirmation', async () => {
    used();
    await remove();
    const asked = await dialog('Agents use this skill');
    expect(asked.textContent).toContain('Agents in “Quotes” and 2 workflows of other people use it');
    await press('Delete anyway', asked);
    await waitFor(() => expect(toasts).toEqual(['“Prices” deleted']));
    expect(sent).toEqual([`DELETE /${OWN}`, `DELETE /${OWN}?force=true`]);
  });

  it('keeps the skill, and does not say otherwise, when the person thinks better of it', async () => {
    used();
    await remove();
    await press('Cancel', await dialog('Agents use this skill'));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(toasts).toEqual([]);
    expect(sent).toEqual([`DELETE /${OWN}`]);
  });

  it('says why it fails for another reason', async () => {
    refusals.set(`DELETE /${OWN}`, refused(409, 'Not now'));
    await remove();
    await waitFor(() => expect(toasts).toEqual(['Not now']));
  });
});
