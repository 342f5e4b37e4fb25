-- Changes the database to match the structs. Review it before you apply it.

ALTER TABLE "readers" ADD COLUMN "deleted_at" timestamp with time zone;

-- no-transaction

-- Goes on with the file before: makes an index while others use the table, in no transaction.

-- Fails where records have the same values in any letter case:
-- SELECT LOWER("email"), COUNT(*) FROM "readers" WHERE "email" IS NOT NULL GROUP BY LOWER("email") HAVING COUNT(*) > 1;
CREATE UNIQUE INDEX CONCURRENTLY "ux_readers__nocase_email" ON "readers" (lower("email"));

-- no-transaction

-- Goes on with the file before: makes an index while others use the table, in no transaction.

-- Fails where records have the same values in any letter case:
-- SELECT "library_id", LOWER("handle"), COUNT(*) FROM "readers" WHERE "library_id" IS NOT NULL AND "handle" IS NOT NULL AND "deleted_at" IS NULL GROUP BY "library_id", LOWER("handle") HAVING COUNT(*) > 1;
CREATE UNIQUE INDEX CONCURRENTLY "ux_readers__library_id__nocase_handle" ON "readers" ("library_id", lower("handle") NULLS FIRST) WHERE "deleted_at" IS NULL;

-- no-transaction

-- Goes on with the file before: makes an index while others use the table, in no transaction.

-- Fails where records have the same values in any letter case:
-- SELECT "library_id", "branch", LOWER("card"), COUNT(*) FROM "readers" WHERE "library_id" IS NOT NULL AND "branch" IS NOT NULL AND "card" IS NOT NULL GROUP BY "library_id", "branch", LOWER("card") HAVING COUNT(*) > 1;
CREATE UNIQUE INDEX CONCURRENTLY "ux_readers__library_id__branch__nocase_card" ON "readers" ("library_id", "branch" NULLS FIRST, lower("card") NULLS FIRST);

-- no-transaction

-- Goes on with the file before: makes an index while others use the table, in no transaction.

CREATE INDEX CONCURRENTLY "ix_deleted_readers__library_id__deleted_at__id" ON "readers" ("library_id", "deleted_at" NULLS FIRST, "id") WHERE "deleted_at" IS NOT NULL;

-- Goes on with the file before, in a separate transaction.

DROP INDEX "ux_readers__email";

DROP INDEX "ux_readers__library_id__branch__card";
