-- no-transaction
PRAGMA foreign_keys = OFF;
PRAGMA legacy_alter_table = ON;
BEGIN IMMEDIATE;

-- Reverts that. Review it before you apply it.
-- For an up file of the hash b5dca8b758d8c15b

DROP INDEX `ux_items__label`;

-- As it was before:
-- Fails where the table has columns that this does not know, whose values would be lost.
CREATE TEMPORARY TABLE `unknown` (`columns` INTEGER CONSTRAINT `columns that this file does not know` CHECK (`columns` = 0));
INSERT INTO `unknown` SELECT COUNT(*) FROM pragma_table_xinfo('items')
  WHERE name COLLATE NOCASE NOT IN ('id', 'label', 'note', 'count', 'shelf_id', 'deleted_at');
DROP TABLE `unknown`;
CREATE TABLE `items_new` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `label` TEXT CONSTRAINT `check_label` CHECK (length(`label`) <= 50),
  `note` TEXT NOT NULL CONSTRAINT `check_note` CHECK (length(`note`) <= 20),
  `count` INTEGER NOT NULL CONSTRAINT `check_count` CHECK (`count` BETWEEN -2147483648 AND 2147483647),
  `shelf_id` INTEGER REFERENCES `shelves` (`id`) ON DELETE SET NULL,
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

COMMIT;
PRAGMA legacy_alter_table = OFF;
PRAGMA foreign_keys = ON;
