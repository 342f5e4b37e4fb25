-- Reverts that. Review it before you apply it.

-- If the type of "good_id" was changed:
-- ALTER TABLE "labels" ALTER COLUMN "good_id" TYPE bigint USING "good_id"::bigint;
