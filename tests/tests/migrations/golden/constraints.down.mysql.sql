-- Reverts that. Review it before you apply it.
-- For an up file of the hash d4a72d9a1e36fc8e

ALTER TABLE `goods` DROP FOREIGN KEY `goods_shop_id_fkey`;

ALTER TABLE `goods` DROP CONSTRAINT `check_goods__state`;
-- Fails where a record has another value.
ALTER TABLE `goods` ADD CONSTRAINT `check_goods__state` CHECK (`state` in ('New','Sold'));

ALTER TABLE `goods` DROP CONSTRAINT `check_goods__name`;
-- Fails where a record has another value.
ALTER TABLE `goods` ADD CONSTRAINT `check_goods__name` CHECK (char_length(`name`) <= 50);

DROP INDEX `ix_goods__shop_id` ON `goods`;

-- Fails where a record has no value in `legacy`, unless you say what it gets.
-- UPDATE `goods` SET `legacy` = … WHERE `legacy` IS NULL;
ALTER TABLE `goods` MODIFY COLUMN `legacy` longtext NOT NULL;

-- If the UNIQUE of `price` was dropped:
-- CREATE UNIQUE INDEX `ux_goods__price` ON `goods` (`price`);

ALTER TABLE `goods` DROP CONSTRAINT `check_goods__stock`, DROP COLUMN `stock`;

ALTER TABLE `goods` MODIFY COLUMN `remark` longtext;

-- Fails where a record has no value in `note`, unless you say what it gets.
-- UPDATE `goods` SET `note` = … WHERE `note` IS NULL;
ALTER TABLE `goods` MODIFY COLUMN `note` longtext NOT NULL;

ALTER TABLE `goods` MODIFY COLUMN `name` varchar(50) NOT NULL;
