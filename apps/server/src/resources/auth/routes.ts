import * as contracts from '@millrace/contracts';
import type { FastifyRequest } from 'fastify';
import type { Binder, HandlerContext } from '../../http/bind.ts';
import {
  clearSessionCookies,
  givenAccessToken,
  givenRefreshToken,
  setSessionCookies,
} from '../../http/callers/session.ts';
import { LOGIN_RULE, REGISTER_RULE, requireAttempt } from './limits.ts';
import * as service from './service.ts';
import * as sessions from './sessions.ts';

const toCaller = (context: HandlerContext, request: FastifyRequest): sessions.Caller => ({
  user_agent: request.headers['user-agent'],
  client_ip: context.client_ip,
});

/**
 * Sessions and the signed-in user (§4.8, §5.3, §5.4). Attempts are counted before anything of a body is read (§8.2), so that
 * none is free.
 */
export function bindAuth(binder: Binder): void {
  const limiters = binder.services.attempt_limiters;
  const loginAttempts = limiters(LOGIN_RULE);
  const registerAttempts = limiters(REGISTER_RULE);

  binder.json(
    contracts.register,
    async (context, { body }, { request, reply }) => {
      const tokens = await service.register(context, body, toCaller(context, request));
      setSessionCookies(reply, context.config, tokens);
      return tokens;
    },
    ({ client_ip }) => requireAttempt(registerAttempts, client_ip),
  );

  binder.json(
    contracts.login,
    async (context, { body }, { request, reply }) => {
      const tokens = await service.login(context, body, toCaller(context, request));
      setSessionCookies(reply, context.config, tokens);
      return tokens;
    },
    ({ client_ip }) => requireAttempt(loginAttempts, client_ip),
  );

  binder.json(contracts.refresh, async (context, { body }, { request, reply }) => {
    const tokens = await sessions.rotate(context, body?.refresh_token || givenRefreshToken(request));
    setSessionCookies(reply, context.config, tokens);
    return tokens;
  });

  binder.json(contracts.logout, async (context, { body }, { request, reply }) => {
    const refresh_token = body?.refresh_token || givenRefreshToken(request);
    clearSessionCookies(reply, context.config);
    await sessions.signOut(context, { access_token: givenAccessToken(request), refresh_token });
    return undefined;
  });

  binder.json(contracts.readSignInPolicy, (context) => service.signInPolicy(context));
  binder.json(contracts.me, (context) => service.readMe(context));
  binder.json(contracts.updateMe, (context, { body }) => service.updateMe(context, body));
  binder.json(contracts.listSessions, (context) => sessions.listSessions(context));
  binder.json(contracts.changePassword, async (context, { body }) => {
    await service.changePassword(context, body);
    return undefined;
  });
  binder.json(contracts.endSession, async (context, { params }) => {
    await sessions.endSession(context, params.id);
    return undefined;
  });
}
