-- Changes the database to match the structs. Review it before you apply it.

-- Writes all records anew, 2 here, while other writers of the table wait.
ALTER TABLE `goods` MODIFY COLUMN `name` VARCHAR(80) NOT NULL;

ALTER TABLE `goods` MODIFY COLUMN `note` longtext;

-- Writes all records anew, 2 here, while other writers of the table wait.
-- Fails where a record has no value in `remark`, unless you say what it gets.
-- UPDATE `goods` SET `remark` = … WHERE `remark` IS NULL;
ALTER TABLE `goods` MODIFY COLUMN `remark` longtext NOT NULL;

-- Every record needs a value in `stock`, and the field has no constant default: this fails where there are
-- records, unless you say what they get.
ALTER TABLE `goods` ADD COLUMN `stock` INT, ADD CONSTRAINT `check_goods__stock` CHECK (`stock` >= 0);
-- UPDATE `goods` SET `stock` = …;
ALTER TABLE `goods` MODIFY COLUMN `stock` INT NOT NULL;

-- `price` is UNIQUE, and no field asks for it. If that is to end:
-- DROP INDEX `ux_goods__price` ON `goods`;

-- `other_id` has a foreign key to `shops`, and no field. If that is to end:
-- ALTER TABLE `goods` DROP FOREIGN KEY `goods_ibfk_1`;

-- `legacy` is in no field: it is kept, and new records have nothing in it.
ALTER TABLE `goods` MODIFY COLUMN `legacy` longtext;

-- The struct no longer has `legacy`. This drops the column and its values:
-- ALTER TABLE `goods` DROP COLUMN `legacy`;

CREATE INDEX `ix_goods__shop_id` ON `goods` (`shop_id`);

-- Writes all records anew, 2 here, while other writers of the table wait.
ALTER TABLE `goods` DROP CONSTRAINT `check_goods__name`;
-- Fails where a record has another value.
ALTER TABLE `goods` ADD CONSTRAINT `check_goods__name` CHECK (char_length(`name`) <= 80);

-- Writes all records anew, 2 here, while other writers of the table wait.
ALTER TABLE `goods` DROP CONSTRAINT `check_goods__state`;
-- Fails where a record has another value.
ALTER TABLE `goods` ADD CONSTRAINT `check_goods__state` CHECK (`state` in ('New','Sold','Lost'));

-- Writes all records anew, 2 here, while other writers of the table wait.
-- Fails where a record refers to none.
ALTER TABLE `goods` ADD CONSTRAINT `goods_shop_id_fkey` FOREIGN KEY (`shop_id`) REFERENCES `shops` (`id`) ON DELETE RESTRICT;
