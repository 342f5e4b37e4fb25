-- Reverts that. Review it before you apply it.

-- If the type of `good_id` was changed:
-- ALTER TABLE `labels` MODIFY COLUMN `good_id` bigint(20) NOT NULL;
