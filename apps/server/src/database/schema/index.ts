export * from './accounts.ts';
export * from './runs.ts';
export * from './sharing.ts';
export * from './workflows.ts';
