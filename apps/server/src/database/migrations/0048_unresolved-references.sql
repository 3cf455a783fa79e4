ALTER TABLE "runs" ADD COLUMN "unresolved_references" integer;--> statement-breakpoint
ALTER TABLE "workflows" ADD COLUMN "strict_references" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "runs_history_unresolved" ON "runs" USING btree ("workflow_id","id") WHERE "runs"."unresolved_references" > 0;