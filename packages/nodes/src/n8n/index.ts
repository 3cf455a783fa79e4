export { type ConvertedWorkflow, convertN8n } from './convert.ts';
