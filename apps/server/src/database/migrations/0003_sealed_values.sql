ALTER TABLE "steps" ADD COLUMN "sealed" text;--> statement-breakpoint
ALTER TABLE "global_variables" ADD COLUMN "sealed_value" text;