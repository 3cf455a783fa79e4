export { problems as findProblems } from '@millrace/engine';
