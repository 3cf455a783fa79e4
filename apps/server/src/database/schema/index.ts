export * from './accounts.ts';
export * from './mcp.ts';
export * from './oauth.ts';
export * from './portal.ts';
export * from './runs.ts';
export * from './sharing.ts';
export * from './triggers.ts';
export * from './workflows.ts';
