-- Makes the database as the structs are. Read it before it is applied.
-- The tables that are there were made without a migration: in an empty database they have to come first.

-- "good_id" is bigint, must be double precision. This could lose what does not convert, so that it is left to you:
-- ALTER TABLE "labels" ALTER COLUMN "good_id" TYPE double precision USING "good_id"::double precision;

-- "good_id" has a foreign key to `goods`, and no field. If that is to end:
-- ALTER TABLE "labels" DROP CONSTRAINT "labels_good_id_fkey";
