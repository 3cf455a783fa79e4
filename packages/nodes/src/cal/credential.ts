import {
  apiKey,
  bearer,
  type CredentialType,
  keyed,
  readBaseUrl,
  readConfigText,
  url,
} from '@millrace/engine/credential';

/** People give the address with or without the version, which is always the second. */
export const calCredential: CredentialType = {
  type: 'cal_api',
  title: 'Booking calendar',
  brand: 'Cal.com',
  group: 'productivity',
  fields: [apiKey, url('base_url', 'Base URL')],
  ...keyed,
  public_fields: ['base_url'],
  connect: (config) => {
    const address = readBaseUrl(config, 'base_url', 'https://api.cal.com');
    return {
      base_url: `${address.replace(/\/v2$/, '')}/v2`,
      headers: bearer(readConfigText(config, 'api_key')),
    };
  },
  test: { path: '/me' },
};
