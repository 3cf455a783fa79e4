import { googleCredential } from '../kit/integration/oauth-client.ts';

export const bigqueryCredential = googleCredential({
  type: 'bigquery',
  title: 'BigQuery',
  base_url: 'https://bigquery.googleapis.com/bigquery/v2',
  scopes: ['https://www.googleapis.com/auth/bigquery'],
  test: '/projects?maxResults=1',
});
