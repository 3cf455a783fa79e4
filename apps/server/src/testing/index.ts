export { startBoardRounds } from '../resources/boards/rounds/work.ts';
export * from '../resources/boards/testing/boards.ts';
export * from '../resources/executions/testing/workflows.ts';
export * from '../resources/portal/testing/portals.ts';
export { cleanUpDeletions } from '../triggers/deletion-cleanup.ts';
export { createTriggerHost, type TriggerHost } from '../triggers/host/host.ts';
export * from './authorization-server.ts';
export * from './test-app.ts';
export * from './test-database.ts';
