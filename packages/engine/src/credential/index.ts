export * from './credential-config.ts';
export * from './credential-type.ts';
export { type Translate, translateCredential } from './translate.ts';
