export * from './fake-batches.ts';
export * from './fake-images.ts';
export * from './fake-provider.ts';
