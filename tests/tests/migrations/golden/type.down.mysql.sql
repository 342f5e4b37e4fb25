-- Reverts that. Review it before you apply it.
-- For an up file of the hash 48ffbd90e6f3f4b1

-- If the type of `good_id` was changed:
-- ALTER TABLE `labels` MODIFY COLUMN `good_id` bigint(20) NOT NULL;
