import {
  baseOf,
  bearer,
  type CredentialType,
  required,
  secret,
  text,
  textOf,
  url,
} from '@millrace/engine/credential';

export const supabaseCredential: CredentialType = {
  type: 'supabase',
  title: 'Supabase',
  group: 'stores',
  fields: [
    url('supabase_url', 'Project URL', required),
    secret('supabase_key', 'Key', required),
    text('supabase_schema', 'Schema', { default: 'public' }),
  ],
  masked: (config) => `${textOf(config, 'supabase_url')} (${textOf(config, 'supabase_schema')})`,
  expression: () => '',
  keeps_blank: true,
  connect: (config) => ({
    base_url: `${baseOf(config, 'supabase_url')}/rest/v1`,
    headers: { ...bearer(textOf(config, 'supabase_key')), apikey: textOf(config, 'supabase_key') },
  }),
  test: { path: '/' },
};
