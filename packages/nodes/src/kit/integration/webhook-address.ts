import { type CredentialConfig, readConfigText } from '@millrace/engine/credential';

/** A webhook address is a secret, so its field is checked here and not by the kind of the field. */
export function webhookProblem(config: CredentialConfig): { field: string; message: string } | undefined {
  const address = readConfigText(config, 'webhook_url');
  if (address === '') return undefined;
  return /^https?:\/\/\S+$/i.test(address) && URL.canParse(address)
    ? undefined
    : { field: 'webhook_url', message: 'must be an address that starts with https:// or http://' };
}
