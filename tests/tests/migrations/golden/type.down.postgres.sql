-- Reverts that. Review it before you apply it.
-- For an up file of the hash 877a0669b17cb790

-- If the type of "good_id" was changed:
-- ALTER TABLE "labels" ALTER COLUMN "good_id" TYPE bigint USING "good_id"::bigint;
