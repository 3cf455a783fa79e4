import { type CredentialType, translateCredential } from '@millrace/engine/credential';
import { credentialTypes } from '@millrace/nodes/credentials';
import { useMemo } from 'react';
import { useNodeTexts } from './node-texts.ts';

export interface CredentialTypes {
  readonly all: readonly CredentialType[];
  readonly get: (type: string) => CredentialType | undefined;
}

/** Every type of credential, with the texts of its form in the language of the person. */
export function useCredentialTypes(): CredentialTypes {
  const translate = useNodeTexts();
  return useMemo(() => {
    const all = translate
      ? credentialTypes.map((type) => translateCredential(type, translate))
      : credentialTypes;
    const byName = new Map(all.map((type) => [type.type, type]));
    return { all, get: (type) => byName.get(type) };
  }, [translate]);
}
