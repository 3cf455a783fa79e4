CREATE TABLE "portal_conversations" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workflow_id" uuid NOT NULL,
	"user_id" uuid,
	"visitor_hash" text,
	"title" text DEFAULT '' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "portal_turns" (
	"run_id" uuid PRIMARY KEY NOT NULL,
	"conversation_id" uuid NOT NULL,
	"inputs" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "portal_conversations" ADD CONSTRAINT "portal_conversations_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "portal_conversations" ADD CONSTRAINT "portal_conversations_user_id_portal_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."portal_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "portal_turns" ADD CONSTRAINT "portal_turns_conversation_id_portal_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."portal_conversations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "portal_conversations_workflow" ON "portal_conversations" USING btree ("workflow_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "portal_conversations_user" ON "portal_conversations" USING btree ("user_id","updated_at");--> statement-breakpoint
CREATE INDEX "portal_conversations_visitor" ON "portal_conversations" USING btree ("workflow_id","visitor_hash","updated_at");--> statement-breakpoint
CREATE INDEX "portal_conversations_age" ON "portal_conversations" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "portal_turns_conversation" ON "portal_turns" USING btree ("conversation_id","run_id");