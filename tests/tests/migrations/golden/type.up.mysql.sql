-- Makes the database as the structs are. Read it before it is applied.
-- The tables that are there were made without a migration: in an empty database they have to come first.

-- `good_id` is bigint(20), must be DOUBLE. This could lose what does not convert, so that it is left to you:
-- ALTER TABLE `labels` MODIFY COLUMN `good_id` DOUBLE NOT NULL;

-- `good_id` has a foreign key to `goods`, and no field. If that is to end:
-- ALTER TABLE `labels` DROP FOREIGN KEY `labels_ibfk_1`;
