-- Takes that back. Read it before it is applied.

-- If the type of "good_id" was changed:
-- ALTER TABLE "labels" ALTER COLUMN "good_id" TYPE bigint USING "good_id"::bigint;
