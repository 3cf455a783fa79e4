import {
  createExecutionToken,
  EXECUTION_TOKEN_TTL,
  type ExecutionToken,
  listExecutionTokens,
  revokeExecutionToken,
  type Workflow,
} from '@millrace/contracts';
import { useState } from 'react';
import { useFormatter } from 'use-intl';
import { api } from '../../../data/api.ts';
import { answersTo, useChange, useEndpoint } from '../../../data/endpoint.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import { Badge } from '../../../ui/display/status-chip.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { useEndpointTexts } from './texts/use-endpoint-texts.ts';

const LIFETIMES = [3_600, 86_400, 2_592_000, 31_536_000, EXECUTION_TOKEN_TTL.max_seconds] as const;

const UNTIL = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
} as const;

interface TokensTabProps {
  workflow: Workflow;
  chosen: string | undefined;
  onChoose: (token: string | undefined) => void;
}

/** Tokens of the person who looks; expired and revoked ones stay to be seen and cannot be chosen. */
export function TokensTab({ workflow, chosen, onChoose }: TokensTabProps) {
  const t = useEndpointTexts();
  const format = useFormatter();
  const params = { id: workflow.id };
  const [ttl, setTtl] = useState(String(LIFETIMES[2]));
  const tokens = useEndpoint(listExecutionTokens, { params });
  const renews = [answersTo(listExecutionTokens, { params })];
  const create = useChange(() => api(createExecutionToken, { params, body: { ttl_seconds: Number(ttl) } }), {
    onSuccess: (made) => onChoose(made.token),
    renews,
  });
  const revoke = useChange(
    ({ id: token_id }: ExecutionToken) => api(revokeExecutionToken, { params: { ...params, token_id } }),
    {
      onSuccess: (_, { token }) => {
        if (token === chosen) onChoose(undefined);
      },
      renews,
    },
  );
  return (
    <div className="flex flex-col gap-3 p-4">
      <div className="flex items-center gap-2">
        <Select
          aria-label={t('lifetime')}
          value={ttl}
          onChange={setTtl}
          choices={LIFETIMES.map((seconds, index) => ({
            value: String(seconds),
            label: t(`lifetimes.${index as 0 | 1 | 2 | 3 | 4}`),
          }))}
          className="max-w-48"
        />
        <Button tone="primary" busy={create.isPending} onClick={() => create.mutate()}>
          {t('create_token')}
        </Button>
      </div>
      {tokens.data?.length === 0 ? (
        <p className="py-4 text-center text-sm text-faint">{t('no_tokens')}</p>
      ) : null}
      <ul className="flex flex-col divide-y divide-line">
        {tokens.data?.map((token) => {
          const expired = new Date(token.expires_at).getTime() <= Date.now();
          const usable = !token.revoked && !expired;
          return (
            <li key={token.id} className="flex flex-wrap items-center gap-2 py-2 text-sm">
              <code className="max-w-48 truncate">…{token.token.slice(-12)}</code>
              <span className="grow text-soft">
                {t('expires', { at: format.dateTime(new Date(token.expires_at), UNTIL) })}
              </span>
              {token.revoked ? (
                <Badge tone="danger">{t('revoked')}</Badge>
              ) : expired ? (
                <Badge>{t('expired')}</Badge>
              ) : null}
              {usable ? (
                <>
                  <Button
                    size="small"
                    aria-pressed={chosen === token.token}
                    onClick={() => onChoose(token.token)}
                  >
                    {chosen === token.token ? t('chosen') : t('use')}
                  </Button>
                  <CopyButton text={token.token} />
                  <Button size="small" tone="quiet-danger" onClick={() => revoke.mutate(token)}>
                    {t('revoke')}
                  </Button>
                </>
              ) : null}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
