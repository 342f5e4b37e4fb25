-- no-transaction
PRAGMA foreign_keys = OFF;
PRAGMA legacy_alter_table = ON;
BEGIN IMMEDIATE;

-- Changes the database to match the structs. Review it before you apply it.

-- Writes all records anew, 1 here, while other writers of the database wait, three seconds for a million.
-- SQLite takes these changes in a table that is written anew:
-- - `shelf_id`: its foreign key is ON DELETE SET NULL, must be ON DELETE CASCADE
-- - `note`: has CHECK (length(`note`) <= 20), must have CHECK (length(`note`) <= 200)
-- - `count`: has CHECK (`count` BETWEEN -2147483648 AND 2147483647), must have none
-- Fails where the table has columns that this does not know, whose values would be lost.
CREATE TEMPORARY TABLE `unknown` (`columns` INTEGER CONSTRAINT `columns that this file does not know` CHECK (`columns` = 0));
INSERT INTO `unknown` SELECT COUNT(*) FROM pragma_table_xinfo('items')
  WHERE name COLLATE NOCASE NOT IN ('id', 'label', 'note', 'count', 'shelf_id', 'deleted_at');
DROP TABLE `unknown`;
CREATE TABLE `items_new` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `label` TEXT CONSTRAINT `check_label` CHECK (length(`label`) <= 50),
  `note` TEXT NOT NULL CONSTRAINT `check_note` CHECK (length(`note`) <= 200),
  `count` INTEGER NOT NULL,
  `shelf_id` INTEGER REFERENCES `shelves` (`id`) ON DELETE CASCADE,
  `deleted_at` TEXT
) STRICT;
INSERT INTO `items_new` (`id`, `label`, `note`, `count`, `shelf_id`, `deleted_at`)
  SELECT `id`, `label`, `note`, `count`, `shelf_id`, `deleted_at` FROM `items`;
DELETE FROM sqlite_sequence WHERE name = 'items_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'items_new', seq FROM sqlite_sequence WHERE name = 'items';
DROP TABLE `items`;
ALTER TABLE `items_new` RENAME TO `items`;
CREATE INDEX `ix_items__shelf_id` ON `items` (`shelf_id`);
CREATE INDEX `ix_deleted_items__deleted_at` ON `items` (`deleted_at`) WHERE `deleted_at` IS NOT NULL;
-- Fails where a record refers to none.
CREATE TEMPORARY TABLE `dangling` (`records` INTEGER CHECK (`records` = 0));
INSERT INTO `dangling` SELECT COUNT(*) FROM pragma_foreign_key_check('items');
DROP TABLE `dangling`;

-- Reads all records, 1 here, while other writers of the database wait.
-- Fails where records have the same values:
-- SELECT `label`, COUNT(*) FROM `items` WHERE `label` IS NOT NULL AND `deleted_at` IS NULL GROUP BY `label` HAVING COUNT(*) > 1;
CREATE UNIQUE INDEX `ux_items__label` ON `items` (`label`) WHERE `deleted_at` IS NULL;

COMMIT;
PRAGMA legacy_alter_table = OFF;
PRAGMA foreign_keys = ON;
