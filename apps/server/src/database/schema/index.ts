export * from './tables.generated.ts';
