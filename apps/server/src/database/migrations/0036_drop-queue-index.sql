-- safe: indexes only; the version before finds queued runs by those that are left
DROP INDEX "runs_queue";--> statement-breakpoint
DROP INDEX "runs_queue_workflow";--> statement-breakpoint
DROP INDEX "runs_held";