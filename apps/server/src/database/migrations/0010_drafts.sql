CREATE TABLE "workflow_drafts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workflow_id" uuid NOT NULL,
	"nodes" text NOT NULL,
	"edges" text NOT NULL,
	"saved_by_id" uuid,
	"saved_at" timestamp (3) with time zone NOT NULL,
	"was_run" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
ALTER TABLE "workflow_versions" ADD COLUMN "note" text;--> statement-breakpoint
ALTER TABLE "workflows" ADD COLUMN "draft_id" uuid;--> statement-breakpoint
ALTER TABLE "workflows" ADD COLUMN "active" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "workflow_drafts" ADD CONSTRAINT "workflow_drafts_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workflow_drafts" ADD CONSTRAINT "workflow_drafts_saved_by_id_users_id_fk" FOREIGN KEY ("saved_by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "workflow_drafts_workflow" ON "workflow_drafts" USING btree ("workflow_id");