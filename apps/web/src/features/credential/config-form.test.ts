import {
  type CredentialField,
  type CredentialType,
  isAsked,
  listWithheldFields,
  mergeCredentialConfig,
  pickShownFields,
} from '@millrace/engine/credential';
import { credentialType, credentialTypes } from '@millrace/nodes/credentials';
import { describe, expect, it } from 'vitest';
import {
  buildConfig,
  findProblems,
  initialValues,
  keepsStored,
  needsRemoval,
  type StoredConfig,
} from './config-form.ts';

function typed(name: string): CredentialType {
  const type = credentialType(name);
  if (!type) throw new Error(`no type ${name}`);
  return type;
}

/** As the owner is told of a stored configuration. */
const show = (type: CredentialType, config: Record<string, unknown>): StoredConfig => ({
  public_fields: pickShownFields(type, config, { is_owner: true }),
  withheld_fields: listWithheldFields(type, config),
});

describe('the form of a credential', () => {
  it('starts with the defaults of the type', () => {
    const values = initialValues(typed('imap'));
    expect(values['imap_port']).toBe(993);
    expect(values['imap_password']).toBe('');
  });

  it('shows what may be shown of a stored credential and no secret', () => {
    expect(
      initialValues(typed('header'), show(typed('header'), { header_key: 'X-Api-Key', header_value: 's' })),
    ).toEqual({
      header_key: 'X-Api-Key',
      header_value: '',
    });
  });

  it('sends numbers as numbers and leaves blanks out of a new credential', () => {
    const config = buildConfig(typed('header'), { header_key: '', header_value: 's' }, false);
    expect(config).toEqual({ header_value: 's' });
  });

  it('keeps a stored secret by not sending a blank one', () => {
    const type = typed('header');
    const values = { header_key: '', header_value: '' };
    expect(buildConfig(type, values, true)).toEqual({ header_key: '' });
    expect(findProblems(type, values, show(type, { header_value: 's' }))).toEqual({});
    expect(findProblems(type, values)).toHaveProperty('header_value');
  });

  it('sends null for a stored secret that is to be removed', () => {
    const type = typed('mcp');
    const values = { ...initialValues(type), mcp_header_value: null };
    expect(buildConfig(type, values, true)).toMatchObject({ mcp_header_value: null });
    const stored = show(type, { mcp_header_value: 's' });
    expect(findProblems(type, values, stored)).not.toHaveProperty('mcp_header_value');
  });

  /** A value that is not the default of the field. */
  function anyValue({ kind, name, options = [], default: usual }: CredentialField): unknown {
    if (kind === 'integer') return usual === 4 ? 5 : 4;
    if (kind === 'boolean') return usual !== true;
    if (kind === 'url') return `https://${name.replaceAll('_', '-')}.example`;
    if (kind === 'choice') return options.find((option) => option !== usual) ?? options[0];
    return `own ${name}`;
  }

  it.each(credentialTypes.filter(({ schema }) => !schema).map(({ type }) => type))(
    'an edit of %s that touches nothing changes nothing',
    (name) => {
      const type = typed(name);
      const stored = Object.fromEntries(type.fields.map((field) => [field.name, anyValue(field)]));
      const sent = buildConfig(type, initialValues(type, show(type, stored)), true);
      expect(mergeCredentialConfig(type, stored, sent)).toEqual(stored);
    },
  );

  it('keeps an address with a password inside, which is not shown', () => {
    const type = typed('github');
    const stored = { api_key: 's', base_url: 'https://me:secret@git.example' };
    expect(show(type, stored)).toEqual({ public_fields: {}, withheld_fields: ['api_key', 'base_url'] });
    const sent = buildConfig(type, initialValues(type, show(type, stored)), true);
    expect(mergeCredentialConfig(type, stored, sent)).toEqual(stored);
  });

  it.each([
    [
      'clickhouse',
      { host: 'h', port: 1, username: 'admin', password: 'admin', database: 'admin', secure: true },
    ],
    ['basic_auth', { username: 'admin', password: 'admin' }],
  ])('keeps texts of %s that are not shown because a secret is inside', (name, stored) => {
    const type = typed(name);
    const shown = show(type, stored);
    const values = initialValues(type, shown);
    expect(findProblems(type, values, shown)).toEqual({});
    expect(mergeCredentialConfig(type, stored, buildConfig(type, values, true))).toEqual(stored);
  });

  it.each([
    [
      'an address with a password inside',
      'github',
      { base_url: 'https://me:secret@git.example' },
      'base_url',
    ],
    ['a text with a secret inside', 'clickhouse', { username: 'admin', password: 'admin' }, 'username'],
    ['a shown text whose blank field is kept', 'github', { base_url: 'https://git.example' }, 'base_url'],
    ['an optional secret', 'clickhouse', { password: 's' }, 'password'],
  ])('lets %s be removed, which a blank field would keep', (_what, name, config, removed) => {
    const type = typed(name);
    const find = type.fields.find((field) => field.name === removed);
    if (!find) throw new Error('no such field');
    expect(needsRemoval(type, find, show(type, config))).toBe(true);
    const sent = buildConfig(type, { ...initialValues(type, show(type, config)), [removed]: null }, true);
    expect(mergeCredentialConfig(type, config, sent)[removed]).toBeNull();
    expect(keepsStored(type, find, show(type, {}))).toBe(false);
    expect(needsRemoval(type, find, show(type, {}))).toBe(false);
  });

  it('offers no removal of what an edit can empty, of what is required and of what has a usual value', () => {
    const stored = {
      host: 'h',
      port: 1,
      username: 'u',
      password: 's',
      database: 'd',
      api_key: 'k',
      secure: true,
      url: 'https://a.example',
    };
    const removable = (name: string) => {
      const type = typed(name);
      return type.fields
        .filter((field) => needsRemoval(type, field, show(type, stored)))
        .map(({ name }) => name);
    };
    expect(removable('custom')).toEqual([]);
    expect(removable('clickhouse')).toEqual(['password']);
  });

  it('asks for a required secret again when none can be read', () => {
    const type = typed('header');
    const unreadable = { public_fields: {}, withheld_fields: [] };
    expect(findProblems(type, initialValues(type, unreadable), unreadable)).toHaveProperty('header_value');
  });

  it('leaves a combination with a stored secret to the server', () => {
    const values = { webhook_url: null, api_token: '' };
    expect(findProblems(typed('slack'), values, show(typed('slack'), { api_token: 's' }))).toEqual({});
    expect(findProblems(typed('slack'), { webhook_url: '', api_token: '' })).not.toEqual({});
  });

  it.each(credentialTypes.filter(({ type }) => type !== 'model_router').map(({ type }) => type))(
    '§2.7: names a missing required field of %s',
    (name) => {
      const type = typed(name);
      const missing = type.fields.filter(
        (field) => field.required && field.default === undefined && !field.hidden && isAsked(type, field, {}),
      );
      const problems = findProblems(type, initialValues(type));
      for (const field of missing) expect(problems).toHaveProperty(field.name);
    },
  );

  it('asks for the fields of the chosen sign-in only', () => {
    const type = typed('google_sheets');
    const names = (auth_mode: string) =>
      Object.keys(findProblems(type, { ...initialValues(type), auth_mode }));
    expect(names('oauth')).toEqual(['client_id', 'client_secret']);
    expect(names('service_account')).toEqual(['service_account_key']);
  });
});
