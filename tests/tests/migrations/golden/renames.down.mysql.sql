-- Reverts that. Review it before you apply it.
-- For an up file of the hash 8842ee3524328cdf

ALTER TABLE `books` DROP INDEX `search_7eaef7c7_books`, DROP COLUMN `crud_search_7eaef7c7`;

ALTER TABLE `books` DROP COLUMN `colour`;

ALTER TABLE `books` DROP CONSTRAINT `check_books__is_old`, DROP COLUMN `is_old`;

ALTER TABLE `books` DROP CONSTRAINT `check_books__language`, DROP COLUMN `language`;

ALTER TABLE `books` MODIFY COLUMN `shelf` varchar(20);

ALTER TABLE `books` RENAME INDEX `ux_books__heading` TO `ux_books__title`;
ALTER TABLE `books` RENAME INDEX `ix_books__deleted_at__page_count` TO `ix_books__deleted_at__pages`;
ALTER TABLE `books` RENAME INDEX `ix_books__deleted_at__writer_id__page_count` TO `ix_books__deleted_at__author_id__pages`;
ALTER TABLE `books` RENAME INDEX `ix_books__writer_id__id__deleted_at` TO `ix_books__author_id__id__deleted_at`;
ALTER TABLE `books` RENAME COLUMN `summary` TO `note`;
ALTER TABLE `books` RENAME COLUMN `writer_id` TO `author_id`;
ALTER TABLE `books` DROP CONSTRAINT `check_books__page_count`;
ALTER TABLE `books` RENAME COLUMN `page_count` TO `pages`;
ALTER TABLE `books` ADD CONSTRAINT `check_books__pages` CHECK (`pages` >= 1);
ALTER TABLE `books` DROP CONSTRAINT `check_books__heading`;
ALTER TABLE `books` RENAME COLUMN `heading` TO `title`;
ALTER TABLE `books` ADD CONSTRAINT `check_books__title` CHECK (char_length(`title`) <= 255);

ALTER TABLE `books` ADD COLUMN `crud_search_63980c5e` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci GENERATED ALWAYS AS (concat('w__',regexp_replace(concat_ws(' ',`note`),'[^[:alnum:]]+',' w__'))) STORED, ADD FULLTEXT INDEX `search_63980c5e_books` (`crud_search_63980c5e`);
