DROP INDEX "agent_memory_edges_memory";--> statement-breakpoint
DROP INDEX "agent_memory_nodes_key";--> statement-breakpoint
ALTER TABLE "agent_memory_edges" ADD COLUMN "conversation_id" uuid;--> statement-breakpoint
ALTER TABLE "agent_memory_nodes" ADD COLUMN "conversation_id" uuid;--> statement-breakpoint
ALTER TABLE "agent_memory_edges" ADD CONSTRAINT "agent_memory_edges_conversation_id_portal_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."portal_conversations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_memory_nodes" ADD CONSTRAINT "agent_memory_nodes_conversation_id_portal_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."portal_conversations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_memory_edges_conversation" ON "agent_memory_edges" USING btree ("conversation_id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_memory_nodes_conversation" ON "agent_memory_nodes" USING btree ("conversation_id","workflow_id","canvas_node_id","entity_key");--> statement-breakpoint
CREATE INDEX "agent_memory_nodes_workflow" ON "agent_memory_nodes" USING btree ("workflow_id");--> statement-breakpoint
CREATE INDEX "agent_memory_edges_memory" ON "agent_memory_edges" USING btree ("workflow_id","canvas_node_id","conversation_id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_memory_nodes_key" ON "agent_memory_nodes" USING btree ("workflow_id","canvas_node_id","entity_key") WHERE "agent_memory_nodes"."conversation_id" is null;