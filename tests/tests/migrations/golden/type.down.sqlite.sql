-- no-transaction
PRAGMA foreign_keys = OFF;
PRAGMA legacy_alter_table = ON;
BEGIN IMMEDIATE;

-- Reverts that. Review it before you apply it.
-- For an up file of the hash 749de0ad5847177f

-- As it was before:
-- This could lose what does not convert, so that it is left to you.
-- -- Fails where the table has columns that this does not know, whose values would be lost.
-- CREATE TEMPORARY TABLE `unknown` (`columns` INTEGER CONSTRAINT `columns that this file does not know` CHECK (`columns` = 0));
-- INSERT INTO `unknown` SELECT COUNT(*) FROM pragma_table_xinfo('labels')
--   WHERE name COLLATE NOCASE NOT IN ('id', 'good_id');
-- DROP TABLE `unknown`;
-- CREATE TABLE `labels_new` (
--   `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
--   `good_id` INTEGER NOT NULL REFERENCES `goods` (`id`) ON DELETE CASCADE
-- ) STRICT;
-- INSERT INTO `labels_new` (`id`, `good_id`)
--   SELECT `id`, `good_id` FROM `labels`;
-- DELETE FROM sqlite_sequence WHERE name = 'labels_new';
-- INSERT INTO sqlite_sequence (name, seq) SELECT 'labels_new', seq FROM sqlite_sequence WHERE name = 'labels';
-- DROP TABLE `labels`;
-- ALTER TABLE `labels_new` RENAME TO `labels`;
-- CREATE INDEX `ix_labels__good_id` ON `labels` (`good_id`);
-- -- Fails where a record refers to none.
-- CREATE TEMPORARY TABLE `dangling` (`records` INTEGER CHECK (`records` = 0));
-- INSERT INTO `dangling` SELECT COUNT(*) FROM pragma_foreign_key_check('labels');
-- DROP TABLE `dangling`;

COMMIT;
PRAGMA legacy_alter_table = OFF;
PRAGMA foreign_keys = ON;
