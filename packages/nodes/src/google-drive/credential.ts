import { googleCredential } from '../kit/integration/oauth-client.ts';

export const googleDriveCredential = googleCredential({
  type: 'google_drive',
  title: 'Google Drive',
  base_url: 'https://www.googleapis.com',
  scopes: ['https://www.googleapis.com/auth/drive'],
  test: '/drive/v3/about?fields=user',
});
