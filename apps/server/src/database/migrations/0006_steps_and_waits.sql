-- contract of 0006_steps_and_waits
ALTER TABLE "runs" ADD COLUMN "suspended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "steps" ADD COLUMN "key" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "waits" ADD COLUMN "key" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "waits" ADD COLUMN "decisions" text;--> statement-breakpoint
ALTER TABLE "waits" ADD COLUMN "child_run_id" uuid;--> statement-breakpoint
ALTER TABLE "waits" ADD COLUMN "decision" text;--> statement-breakpoint
CREATE INDEX "waits_child" ON "waits" USING btree ("child_run_id") WHERE "waits"."decided_at" is null and "waits"."child_run_id" is not null;--> statement-breakpoint
ALTER TABLE "steps" DROP CONSTRAINT "steps_run_id_node_id_iteration_kind_attempt_pk";--> statement-breakpoint
ALTER TABLE "waits" DROP CONSTRAINT "waits_run_id_node_id_iteration_pk";--> statement-breakpoint
ALTER TABLE "steps" ADD CONSTRAINT "steps_run_id_node_id_iteration_key_kind_attempt_pk" PRIMARY KEY("run_id","node_id","iteration","key","kind","attempt");--> statement-breakpoint
ALTER TABLE "waits" ADD CONSTRAINT "waits_run_id_node_id_iteration_key_pk" PRIMARY KEY("run_id","node_id","iteration","key");
