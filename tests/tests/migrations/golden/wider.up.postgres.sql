-- Changes the database to match the structs. Review it before you apply it.

-- Writes all records anew, 1 here, while readers and writers of the table wait.
ALTER TABLE "items" ALTER COLUMN "count" TYPE bigint USING "count"::bigint;

ALTER TABLE "items" DROP CONSTRAINT "check_note";
ALTER TABLE "items" ADD CONSTRAINT "check_note" CHECK ((char_length(note) <= 200)) NOT VALID;

ALTER TABLE "items" DROP CONSTRAINT "items_shelf_id_fkey";
ALTER TABLE "items" ADD CONSTRAINT "items_shelf_id_fkey" FOREIGN KEY ("shelf_id") REFERENCES "shelves" ("id") ON DELETE CASCADE NOT VALID;

-- no-transaction

-- Goes on with the file before: makes an index while others use the table, in no transaction.

-- Fails where records have the same values:
-- SELECT "label", COUNT(*) FROM "items" WHERE "label" IS NOT NULL AND "deleted_at" IS NULL GROUP BY "label" HAVING COUNT(*) > 1;
CREATE UNIQUE INDEX CONCURRENTLY "ux_items__label" ON "items" ("label" NULLS FIRST) WHERE "deleted_at" IS NULL;

-- Goes on with the file before, in a separate transaction.

-- Fails where a record violates it.
ALTER TABLE "items" VALIDATE CONSTRAINT "check_note";

-- Fails where a record violates it.
ALTER TABLE "items" VALIDATE CONSTRAINT "items_shelf_id_fkey";
