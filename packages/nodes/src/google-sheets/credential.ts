import { googleCredential } from '../kit/integration/oauth-client.ts';

export const googleSheetsCredential = googleCredential({
  type: 'google_sheets',
  title: 'Google Sheets',
  base_url: 'https://sheets.googleapis.com/v4',
  scopes: [
    'https://www.googleapis.com/auth/spreadsheets',
    // Names of the spreadsheets to choose from.
    'https://www.googleapis.com/auth/drive.metadata.readonly',
  ],
});
