-- Changes the database to match the structs. Review it before you apply it.

-- `good_id` is bigint(20), must be DOUBLE. This could lose what does not convert, so that it is left to you:
-- ALTER TABLE `labels` MODIFY COLUMN `good_id` DOUBLE NOT NULL;

-- `good_id` has a foreign key to `goods`, and no field. If that is to end:
-- ALTER TABLE `labels` DROP FOREIGN KEY `labels_ibfk_1`;
