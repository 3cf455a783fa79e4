-- online
CREATE INDEX CONCURRENTLY IF NOT EXISTS "runs_replays" ON "runs" USING btree ("replay_of","id") WHERE "runs"."replay_of" is not null;
