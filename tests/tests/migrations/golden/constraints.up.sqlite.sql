-- no-transaction
PRAGMA foreign_keys = OFF;
PRAGMA legacy_alter_table = ON;
BEGIN IMMEDIATE;

-- Changes the database to match the structs. Review it before you apply it.

-- Writes all records anew, 2 here, while other writers of the database wait, three seconds for a million.
-- SQLite takes these changes in a table that is written anew:
-- - `note`: is NOT NULL, must allow null
-- - `remark`: allows null, must be NOT NULL; fails where there is none, unless you say one below
-- - `shop_id`: must have a foreign key to `shops` (`id`) ON DELETE RESTRICT
-- - `stock`: is missing; fails where there is none, unless you say one below
-- - `legacy`: is NOT NULL without default, and no field
-- - `name`: has CHECK (length(`name`) <= 50), must have CHECK (length(`name`) <= 80)
-- - `state`: has CHECK (`state` IN ('New', 'Sold')), must have CHECK (`state` IN ('New', 'Sold', 'Lost'))
-- Fails where the table has columns that this does not know, whose values would be lost.
CREATE TEMPORARY TABLE `unknown` (`columns` INTEGER CONSTRAINT `columns that this file does not know` CHECK (`columns` = 0));
INSERT INTO `unknown` SELECT COUNT(*) FROM pragma_table_xinfo('goods')
  WHERE name COLLATE NOCASE NOT IN ('id', 'name', 'note', 'remark', 'state', 'legacy', 'shop_id', 'price', 'other_id');
DROP TABLE `unknown`;
CREATE TABLE `goods_new` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `name` TEXT NOT NULL CONSTRAINT `check_name` CHECK (length(`name`) <= 80),
  `note` TEXT,
  `remark` TEXT NOT NULL,
  `state` TEXT NOT NULL CONSTRAINT `check_state` CHECK (`state` IN ('New', 'Sold', 'Lost')),
  `shop_id` INTEGER NOT NULL REFERENCES `shops` (`id`) ON DELETE RESTRICT,
  `price` TEXT NOT NULL CONSTRAINT `check_price` CHECK (length(`price`) <= 255),
  `other_id` INTEGER,
  `stock` INTEGER NOT NULL CONSTRAINT `check_stock` CHECK (`stock` BETWEEN -2147483648 AND 2147483647 AND `stock` >= 0),
  `legacy` TEXT,
  UNIQUE (`price`),
  FOREIGN KEY (`other_id`) REFERENCES `shops` (`id`) ON DELETE RESTRICT
) STRICT;
INSERT INTO `goods_new` (`id`, `name`, `note`, `remark`, `state`, `shop_id`, `price`, `other_id`, `stock`, `legacy`)
  SELECT `id`, `name`, `note`, `remark`, `state`, `shop_id`, `price`, `other_id`, NULL AS `stock`, `legacy` FROM `goods`;
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

-- `price` is UNIQUE, and no field asks for it. If that is to end, write the table anew without it.

-- `other_id` has a foreign key to `shops`, and no field. If that is to end, write the table anew.

-- The struct no longer has `legacy`. This drops the column and its values:
-- ALTER TABLE `goods` DROP COLUMN `legacy`;

-- Reads all records, 2 here, while other writers of the database wait.
CREATE INDEX `ix_goods__shop_id` ON `goods` (`shop_id`);

COMMIT;
PRAGMA legacy_alter_table = OFF;
PRAGMA foreign_keys = ON;
