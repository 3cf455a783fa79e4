import {
  type CredentialField,
  type CredentialType,
  isAsked,
  mergeCredentialConfig,
  pickShownFields,
} from '@millrace/engine/credential';
import { credentialType, credentialTypes } from '@millrace/nodes/credentials';
import { describe, expect, it } from 'vitest';
import { buildConfig, findProblems, initialValues } from './config-form.ts';

function typed(name: string): CredentialType {
  const type = credentialType(name);
  if (!type) throw new Error(`no type ${name}`);
  return type;
}

describe('the form of a credential', () => {
  it('starts with the defaults of the type', () => {
    const values = initialValues(typed('imap'));
    expect(values['imap_port']).toBe(993);
    expect(values['imap_password']).toBe('');
  });

  it('shows what may be shown of a stored credential and no secret', () => {
    expect(initialValues(typed('header'), { header_key: 'X-Api-Key' })).toEqual({
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
    expect(findProblems(type, values, {})).toEqual({});
    expect(findProblems(type, values)).toHaveProperty('header_value');
  });

  it('sends null for a stored secret that is to be removed', () => {
    const type = typed('mcp');
    const values = { ...initialValues(type), mcp_header_value: null };
    expect(buildConfig(type, values, true)).toMatchObject({ mcp_header_value: null });
    expect(findProblems(type, values, {})).not.toHaveProperty('mcp_header_value');
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
      const shown = pickShownFields(type, stored, { is_owner: true });
      const sent = buildConfig(type, initialValues(type, shown), true);
      expect(mergeCredentialConfig(type, stored, sent)).toEqual(stored);
    },
  );

  it('keeps an address with a password inside, which is not shown', () => {
    const type = typed('github');
    const stored = { api_key: 's', base_url: 'https://me:secret@git.example' };
    expect(pickShownFields(type, stored, { is_owner: true })).toEqual({});
    const sent = buildConfig(type, initialValues(type, {}), true);
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
    const shown = pickShownFields(type, stored, { is_owner: true });
    const values = initialValues(type, shown);
    expect(findProblems(type, values, shown)).toEqual({});
    expect(mergeCredentialConfig(type, stored, buildConfig(type, values, true))).toEqual(stored);
  });

  it('leaves a combination with a stored secret to the server', () => {
    const values = { webhook_url: null, api_token: '' };
    expect(findProblems(typed('slack'), values, {})).toEqual({});
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
