-- safe: it drops only temporary tables and functions of its own, and makes an index unique after the rows are
CREATE TABLE "trigger_addresses" (
	"node_id" text NOT NULL,
	"type" text NOT NULL,
	"workflow_id" uuid NOT NULL,
	CONSTRAINT "trigger_addresses_node_id_type_pk" PRIMARY KEY("node_id","type")
);
--> statement-breakpoint
-- Of several webhook nodes with one address the oldest keeps it: it alone has received what was sent there. The others
-- get new ids in a version of their own, because a version that runs are pinned to never changes; its note tells the owner.
CREATE TEMPORARY TABLE renewed_addresses AS
SELECT t.workflow_id, t.node_id AS former,
  right(replace(gen_random_uuid()::text, '-', ''), 16) AS renewed
FROM triggers t
WHERE t.kind = 'webhook' AND EXISTS (
  SELECT 1 FROM triggers o WHERE o.kind = 'webhook' AND o.node_id = t.node_id AND o.type = t.type
    AND (o.created_at, o.id) < (t.created_at, t.id));
--> statement-breakpoint
CREATE TEMPORARY TABLE renewed_workflows AS
SELECT workflow_id, jsonb_object_agg(former, renewed) AS ids, gen_random_uuid() AS version_id, gen_random_uuid() AS draft_id
FROM renewed_addresses GROUP BY workflow_id;
--> statement-breakpoint
-- Texts outside of the named keys stay as they are, character for character.
CREATE FUNCTION pg_temp.with_renewed(object json, keys text[], ids jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT '{' || coalesce(string_agg(to_json(key)::text || ':' || CASE
    WHEN key = ANY(keys) AND json_typeof(value) = 'string' AND ids ? (value #>> '{}') THEN (ids -> (value #>> '{}'))::text
    ELSE value::text END, ',' ORDER BY at), '') || '}'
  FROM json_each(object) WITH ORDINALITY AS member(key, value, at)
$$;
--> statement-breakpoint
CREATE FUNCTION pg_temp.list_with_renewed(list text, keys text[], ids jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT '[' || coalesce(string_agg(pg_temp.with_renewed(value, keys, ids), ',' ORDER BY at), '') || ']'
  FROM json_array_elements(list::json) WITH ORDINALITY AS item(value, at)
$$;
--> statement-breakpoint
CREATE FUNCTION pg_temp.keys_renewed(object json, ids jsonb) RETURNS text LANGUAGE sql AS $$
  SELECT '{' || coalesce(string_agg(coalesce(ids -> key, to_jsonb(key))::text || ':' || value::text, ',' ORDER BY at), '') || '}'
  FROM json_each(object) WITH ORDINALITY AS member(key, value, at)
$$;
--> statement-breakpoint
INSERT INTO workflow_versions (id, workflow_id, version_number, name, description, nodes, edges, settings, note)
SELECT c.version_id, v.workflow_id,
  (SELECT max(a.version_number) + 1 FROM workflow_versions a WHERE a.workflow_id = v.workflow_id), v.name, v.description,
  pg_temp.list_with_renewed(v.nodes, '{id}', c.ids), pg_temp.list_with_renewed(v.edges, '{source,target}', c.ids),
  (SELECT '{' || string_agg(to_json(key)::text || ':' || CASE
    WHEN key = 'sse_node_config' AND json_typeof(value) = 'object' THEN pg_temp.keys_renewed(value, c.ids)
    ELSE value::text END, ',' ORDER BY at) || '}' FROM json_each(v.settings::json) WITH ORDINALITY AS m(key, value, at)),
  'The webhook of this workflow has a new address, because another workflow had the same one before it. Give the new address to whoever sends here.'
FROM renewed_workflows c JOIN workflows w ON w.id = c.workflow_id JOIN workflow_versions v ON v.id = w.version_id;
--> statement-breakpoint
INSERT INTO workflow_drafts (id, workflow_id, nodes, edges, saved_by_id, saved_at)
SELECT c.draft_id, d.workflow_id, pg_temp.list_with_renewed(d.nodes, '{id}', c.ids),
  pg_temp.list_with_renewed(d.edges, '{source,target}', c.ids), d.saved_by_id, d.saved_at
FROM renewed_workflows c JOIN workflows w ON w.id = c.workflow_id JOIN workflow_drafts d ON d.id = w.draft_id;
--> statement-breakpoint
DELETE FROM workflow_drafts d USING renewed_workflows c, workflows w
WHERE w.id = c.workflow_id AND d.id = w.draft_id AND NOT d.was_run;
--> statement-breakpoint
UPDATE workflows w SET version_id = c.version_id, draft_id = CASE WHEN w.draft_id IS NOT NULL THEN c.draft_id END,
  sse_node_config = pg_temp.keys_renewed(w.sse_node_config::json, c.ids), updated_at = greatest(now(), w.updated_at + interval '1 millisecond')
FROM renewed_workflows c WHERE w.id = c.workflow_id;
--> statement-breakpoint
UPDATE triggers t SET version_id = c.version_id, node_id = coalesce(c.ids ->> t.node_id, t.node_id)
FROM renewed_workflows c WHERE t.workflow_id = c.workflow_id;
--> statement-breakpoint
UPDATE trigger_causes t SET node_id = r.renewed FROM renewed_addresses r
WHERE t.workflow_id = r.workflow_id AND t.node_id = r.former;
--> statement-breakpoint
UPDATE refused_deliveries t SET node_id = r.renewed FROM renewed_addresses r
WHERE t.workflow_id = r.workflow_id AND t.node_id = r.former;
--> statement-breakpoint
-- The id is a UUID of version 7, for the log is paged by it.
INSERT INTO audit_entries (id, action, object_kind, object_id, object_name, owner_id, details)
SELECT (lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
    || substr(replace(gen_random_uuid()::text, '-', ''), 14, 19))::uuid,
  'workflow.address_renewed', 'workflow', w.id::text, w.name, w.owner_id, json_build_object('addresses', c.ids)::text
FROM renewed_workflows c JOIN workflows w ON w.id = c.workflow_id;
--> statement-breakpoint
INSERT INTO trigger_addresses (node_id, type, workflow_id)
SELECT node_id, type, workflow_id FROM triggers WHERE kind = 'webhook';
--> statement-breakpoint
DROP FUNCTION pg_temp.list_with_renewed(text, text[], jsonb), pg_temp.with_renewed(json, text[], jsonb),
  pg_temp.keys_renewed(json, jsonb);
--> statement-breakpoint
DROP TABLE renewed_addresses, renewed_workflows;
--> statement-breakpoint
DROP INDEX "triggers_address";--> statement-breakpoint
CREATE UNIQUE INDEX "triggers_address" ON "triggers" USING btree ("node_id","type") WHERE "triggers"."kind" = 'webhook';
