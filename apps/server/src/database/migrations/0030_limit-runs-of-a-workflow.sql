CREATE TABLE "run_places" (
	"id" uuid PRIMARY KEY NOT NULL,
	"workflow_id" uuid NOT NULL,
	"run_id" uuid,
	"worker_id" uuid
);
--> statement-breakpoint
ALTER TABLE "workflows" ADD COLUMN "concurrency_limit" integer;--> statement-breakpoint
ALTER TABLE "run_places" ADD CONSTRAINT "run_places_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "run_places_workflow" ON "run_places" USING btree ("workflow_id");--> statement-breakpoint
CREATE INDEX "runs_held" ON "runs" USING btree ("workflow_id") WHERE "runs"."state" = 0 and "runs"."ready_at" = 'infinity';