CREATE TABLE "deferred_answers" (
	"run_id" uuid PRIMARY KEY NOT NULL,
	"node_type" text NOT NULL,
	"sealed" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ready_at" timestamp (3) with time zone NOT NULL,
	"tries" smallint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "attempt_counts" (
	"key" text PRIMARY KEY NOT NULL,
	"points" integer NOT NULL,
	"expire" bigint
);
--> statement-breakpoint
CREATE INDEX "deferred_answers_expiry" ON "deferred_answers" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "attempt_counts_expiry" ON "attempt_counts" USING btree ("expire");