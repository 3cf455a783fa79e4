CREATE TABLE "webhook_listeners" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workflow_id" uuid NOT NULL,
	"node_id" text NOT NULL,
	"type" text NOT NULL,
	"settings" text NOT NULL,
	"token_hash" text NOT NULL,
	"event" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhook_listeners" ADD CONSTRAINT "webhook_listeners_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_listeners_token" ON "webhook_listeners" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "webhook_listeners_workflow" ON "webhook_listeners" USING btree ("workflow_id");--> statement-breakpoint
CREATE INDEX "webhook_listeners_expiry" ON "webhook_listeners" USING btree ("expires_at");