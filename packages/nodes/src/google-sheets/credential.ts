import { oauthClient } from '../kit/integration/oauth-client.ts';

export const googleSheetsCredential = oauthClient('google_sheets', 'Google Sheets');
