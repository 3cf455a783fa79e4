import {
  type CredentialType,
  flag,
  maskSecret,
  readConfigText,
  required,
  secret,
  text,
  url,
} from '@millrace/engine/credential';

export const s3Credential: CredentialType = {
  type: 's3',
  title: 'Object storage',
  brand: 'Amazon S3, MinIO',
  group: 'storage',
  fields: [
    secret('aws_access_key_id', 'Access key', required),
    secret('aws_secret_access_key', 'Secret key', required),
    text('aws_region', 'Region', { default: 'us-east-1' }),
    secret('aws_session_token', 'Session token'),
    url('endpoint_url', 'Endpoint', { help: 'Of an S3-compatible server' }),
    flag('path_style', 'Bucket in the path of the endpoint', true),
  ],
  masked: (config) =>
    `${maskSecret(readConfigText(config, 'aws_access_key_id'))} (${readConfigText(config, 'aws_region')})`,
  expression: () => '',
};
