-- Changes the database to match the structs. Review it before you apply it.

ALTER TABLE "readers" ADD COLUMN "deleted_at" timestamp with time zone;

-- no-transaction

-- Goes on with the file before: makes an index while others use the table, in no transaction.

-- Fails where records have the same values in any letter case.
CREATE UNIQUE INDEX CONCURRENTLY "ux_readers__nocase_email" ON "readers" (lower("email"));

-- no-transaction

-- Goes on with the file before: makes an index while others use the table, in no transaction.

-- Fails where records have the same values in any letter case.
CREATE UNIQUE INDEX CONCURRENTLY "ux_readers__library_id__nocase_handle" ON "readers" ("library_id", lower("handle") NULLS FIRST) WHERE "deleted_at" IS NULL;

-- no-transaction

-- Goes on with the file before: makes an index while others use the table, in no transaction.

-- Fails where records have the same values in any letter case.
CREATE UNIQUE INDEX CONCURRENTLY "ux_readers__library_id__branch__nocase_card" ON "readers" ("library_id", "branch" NULLS FIRST, lower("card") NULLS FIRST);

-- no-transaction

-- Goes on with the file before: makes an index while others use the table, in no transaction.

CREATE INDEX CONCURRENTLY "ix_deleted_readers__library_id__deleted_at__id" ON "readers" ("library_id", "deleted_at" NULLS FIRST, "id") WHERE "deleted_at" IS NOT NULL;

-- Goes on with the file before, in a separate transaction.

DROP INDEX "ux_readers__email";

DROP INDEX "ux_readers__library_id__branch__card";
