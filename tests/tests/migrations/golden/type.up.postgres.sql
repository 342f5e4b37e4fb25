-- Changes the database to match the structs. Review it before you apply it.

-- "good_id" is bigint, must be double precision. This could lose what does not convert, so that it is left to you:
-- ALTER TABLE "labels" ALTER COLUMN "good_id" TYPE double precision USING "good_id"::double precision;

-- "good_id" has a foreign key to `goods`, and no field. If that is to end:
-- ALTER TABLE "labels" DROP CONSTRAINT "labels_good_id_fkey";
