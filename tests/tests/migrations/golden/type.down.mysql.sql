-- Takes that back. Read it before it is applied.

-- If the type of `good_id` was changed:
-- ALTER TABLE `labels` MODIFY COLUMN `good_id` bigint(20) NOT NULL;
