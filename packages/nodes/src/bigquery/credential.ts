import { oauthClient } from '../kit/integration/oauth-client.ts';

export const bigqueryCredential = oauthClient('bigquery', 'BigQuery');
