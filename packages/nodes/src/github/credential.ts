export { githubCredential } from '../kit/integration/code-hosting.ts';
