CREATE TABLE "agent_memory_edges" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workflow_id" uuid NOT NULL,
	"canvas_node_id" text NOT NULL,
	"source_node_id" uuid NOT NULL,
	"target_node_id" uuid NOT NULL,
	"relationship_type" text NOT NULL,
	"properties" text NOT NULL,
	"confidence" double precision NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agent_memory_nodes" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"workflow_id" uuid NOT NULL,
	"canvas_node_id" text NOT NULL,
	"entity_name" text NOT NULL,
	"entity_key" text NOT NULL,
	"entity_type" text NOT NULL,
	"properties" text NOT NULL,
	"confidence" double precision NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agent_memory_shares" (
	"workflow_id" uuid NOT NULL,
	"canvas_node_id" text NOT NULL,
	"peer_workflow_id" uuid NOT NULL,
	"peer_canvas_node_id" text NOT NULL,
	"permission" text NOT NULL,
	CONSTRAINT "agent_memory_shares_workflow_id_canvas_node_id_peer_workflow_id_peer_canvas_node_id_pk" PRIMARY KEY("workflow_id","canvas_node_id","peer_workflow_id","peer_canvas_node_id")
);
--> statement-breakpoint
ALTER TABLE "agent_memory_edges" ADD CONSTRAINT "agent_memory_edges_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_memory_edges" ADD CONSTRAINT "agent_memory_edges_source_node_id_agent_memory_nodes_id_fk" FOREIGN KEY ("source_node_id") REFERENCES "public"."agent_memory_nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_memory_edges" ADD CONSTRAINT "agent_memory_edges_target_node_id_agent_memory_nodes_id_fk" FOREIGN KEY ("target_node_id") REFERENCES "public"."agent_memory_nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_memory_nodes" ADD CONSTRAINT "agent_memory_nodes_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_memory_shares" ADD CONSTRAINT "agent_memory_shares_workflow_id_workflows_id_fk" FOREIGN KEY ("workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_memory_shares" ADD CONSTRAINT "agent_memory_shares_peer_workflow_id_workflows_id_fk" FOREIGN KEY ("peer_workflow_id") REFERENCES "public"."workflows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_memory_edges_key" ON "agent_memory_edges" USING btree ("source_node_id","target_node_id","relationship_type");--> statement-breakpoint
CREATE INDEX "agent_memory_edges_target" ON "agent_memory_edges" USING btree ("target_node_id");--> statement-breakpoint
CREATE INDEX "agent_memory_edges_memory" ON "agent_memory_edges" USING btree ("workflow_id","canvas_node_id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_memory_nodes_key" ON "agent_memory_nodes" USING btree ("workflow_id","canvas_node_id","entity_key");--> statement-breakpoint
CREATE INDEX "agent_memory_shares_peer" ON "agent_memory_shares" USING btree ("peer_workflow_id","peer_canvas_node_id");