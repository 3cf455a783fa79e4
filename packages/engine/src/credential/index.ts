export * from './credential-config.ts';
export * from './credential-type.ts';
