import { apiKey, bearerService, type CredentialType, url } from '@millrace/engine/credential';

/** People give the address with or without the version, which is always the second. */
export const calCredential: CredentialType = {
  type: 'cal_api',
  title: 'Booking calendar',
  brand: 'Cal.com',
  group: 'productivity',
  ...bearerService({
    key: apiKey,
    address: url('base_url', 'Base URL'),
    fallback: 'https://api.cal.com',
  }),
  test: { path: '/v2/me' },
};
