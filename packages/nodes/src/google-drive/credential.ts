import { oauthClient } from '../kit/integration/oauth-client.ts';

export const googleDriveCredential = oauthClient('google_drive', 'Google Drive');
