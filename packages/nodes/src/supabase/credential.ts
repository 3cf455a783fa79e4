import {
  bearer,
  type CredentialType,
  readBaseUrl,
  readConfigText,
  required,
  secret,
  text,
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
  masked: (config) =>
    `${readConfigText(config, 'supabase_url')} (${readConfigText(config, 'supabase_schema')})`,
  expression: () => '',
  keeps_blank: true,
  connect: (config) => ({
    base_url: `${readBaseUrl(config, 'supabase_url')}/rest/v1`,
    headers: {
      ...bearer(readConfigText(config, 'supabase_key')),
      apikey: readConfigText(config, 'supabase_key'),
    },
  }),
  test: { path: '/' },
};
