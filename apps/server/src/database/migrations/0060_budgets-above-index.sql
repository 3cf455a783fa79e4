-- online
CREATE INDEX CONCURRENTLY IF NOT EXISTS "traces_budgets" ON "traces" USING gin ("budget_ids") WHERE "traces"."budget_ids" is not null;
