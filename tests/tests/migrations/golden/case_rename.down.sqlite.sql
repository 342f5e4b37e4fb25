-- no-transaction
PRAGMA foreign_keys = OFF;
PRAGMA legacy_alter_table = ON;
BEGIN IMMEDIATE;

-- Reverts that. Review it before you apply it.
-- For an up file of the hash 2d7964ec800be059

-- As it was before:
-- Fails where the table has columns that this does not know, whose values would be lost.
CREATE TEMPORARY TABLE `unknown` (`columns` INTEGER CONSTRAINT `columns that this file does not know` CHECK (`columns` = 0));
INSERT INTO `unknown` SELECT COUNT(*) FROM pragma_table_xinfo('readers')
  WHERE name COLLATE NOCASE NOT IN ('id', 'library_id', 'address', 'branch', 'number', 'handle', 'deleted_at');
DROP TABLE `unknown`;
ALTER TABLE `readers` RENAME COLUMN `number` TO `card`;
ALTER TABLE `readers` RENAME COLUMN `address` TO `email`;
CREATE TABLE `readers_new` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `library_id` INTEGER NOT NULL,
  `email` TEXT NOT NULL CONSTRAINT `check_email` CHECK (length(`email`) <= 100),
  `branch` TEXT CONSTRAINT `check_branch` CHECK (length(`branch`) <= 50),
  `card` TEXT CONSTRAINT `check_card` CHECK (length(`card`) <= 50),
  `handle` TEXT CONSTRAINT `check_handle` CHECK (length(`handle`) <= 50),
  `deleted_at` TEXT,
  UNIQUE (`library_id`, `id`)
) STRICT;
INSERT INTO `readers_new` (`id`, `library_id`, `email`, `branch`, `card`, `handle`, `deleted_at`)
  SELECT `id`, `library_id`, `email`, `branch`, `card`, `handle`, `deleted_at` FROM `readers`;
DELETE FROM sqlite_sequence WHERE name = 'readers_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'readers_new', seq FROM sqlite_sequence WHERE name = 'readers';
DROP TABLE `readers`;
ALTER TABLE `readers_new` RENAME TO `readers`;
CREATE UNIQUE INDEX `ux_readers__nocase_email` ON `readers` (`email` COLLATE NOCASE);
CREATE UNIQUE INDEX `ux_readers__library_id__nocase_handle` ON `readers` (`library_id`, `handle` COLLATE NOCASE) WHERE `deleted_at` IS NULL;
CREATE UNIQUE INDEX `ux_readers__library_id__branch__nocase_card` ON `readers` (`library_id`, `branch`, `card` COLLATE NOCASE);
CREATE INDEX `ix_deleted_readers__library_id__deleted_at` ON `readers` (`library_id`, `deleted_at`) WHERE `deleted_at` IS NOT NULL;
-- Fails where a record refers to none.
CREATE TEMPORARY TABLE `dangling` (`records` INTEGER CHECK (`records` = 0));
INSERT INTO `dangling` SELECT COUNT(*) FROM pragma_foreign_key_check('readers');
DROP TABLE `dangling`;

COMMIT;
PRAGMA legacy_alter_table = OFF;
PRAGMA foreign_keys = ON;
