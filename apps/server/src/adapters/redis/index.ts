export { redisLimiters } from './attempt-limiters.ts';
export { createRedisBroadcast } from './broadcast.ts';
export { closeRedis, connectRedis } from './connection.ts';
export { createRedisStore } from './shared-store.ts';
