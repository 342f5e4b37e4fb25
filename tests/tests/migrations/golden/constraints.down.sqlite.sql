-- no-transaction
PRAGMA foreign_keys = OFF;
PRAGMA legacy_alter_table = ON;
BEGIN IMMEDIATE;

-- Reverts that. Review it before you apply it.
-- For an up file of the hash 6329613fa5c3c3e7

DROP INDEX `ix_goods__shop_id`;

-- As it was before:
-- Loses the values of `goods`.`stock`.
-- It fails where a record has no value in `note`, unless you say one below.
-- It fails where a record has no value in `legacy`, unless you say one below.
-- Fails where the table has columns that this does not know, whose values would be lost.
CREATE TEMPORARY TABLE `unknown` (`columns` INTEGER CONSTRAINT `columns that this file does not know` CHECK (`columns` = 0));
INSERT INTO `unknown` SELECT COUNT(*) FROM pragma_table_xinfo('goods')
  WHERE name COLLATE NOCASE NOT IN ('id', 'name', 'note', 'remark', 'state', 'shop_id', 'price', 'other_id', 'stock', 'legacy');
DROP TABLE `unknown`;
CREATE TABLE `goods_new` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `name` TEXT NOT NULL CONSTRAINT `check_name` CHECK (length(`name`) <= 50),
  `note` TEXT NOT NULL,
  `remark` TEXT,
  `state` TEXT NOT NULL CONSTRAINT `check_state` CHECK (`state` IN ('New', 'Sold')),
  `legacy` TEXT NOT NULL,
  `shop_id` INTEGER NOT NULL,
  `price` TEXT NOT NULL CONSTRAINT `check_price` CHECK (length(`price`) <= 255),
  `other_id` INTEGER REFERENCES `shops` (`id`) ON DELETE RESTRICT,
  UNIQUE (`price`)
) STRICT;
INSERT INTO `goods_new` (`id`, `name`, `note`, `remark`, `state`, `legacy`, `shop_id`, `price`, `other_id`)
  SELECT `id`, `name`, `note`, `remark`, `state`, `legacy`, `shop_id`, `price`, `other_id` FROM `goods`;
DELETE FROM sqlite_sequence WHERE name = 'goods_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'goods_new', seq FROM sqlite_sequence WHERE name = 'goods';
DROP TABLE `goods`;
ALTER TABLE `goods_new` RENAME TO `goods`;
CREATE INDEX `ix_goods__name` ON `goods` (`name`);
CREATE INDEX `ix_goods__other_id` ON `goods` (`other_id`);
-- Fails where a record refers to none.
CREATE TEMPORARY TABLE `dangling` (`records` INTEGER CHECK (`records` = 0));
INSERT INTO `dangling` SELECT COUNT(*) FROM pragma_foreign_key_check('goods');
DROP TABLE `dangling`;

COMMIT;
PRAGMA legacy_alter_table = OFF;
PRAGMA foreign_keys = ON;
