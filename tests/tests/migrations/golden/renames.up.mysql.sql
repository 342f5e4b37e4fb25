-- Changes the database to match the structs. Review it before you apply it.

ALTER TABLE `books` DROP INDEX `search_63980c5e_books`, DROP COLUMN `crud_search_63980c5e`;

ALTER TABLE `books` DROP CONSTRAINT `check_books__title`;
ALTER TABLE `books` RENAME COLUMN `title` TO `heading`;
ALTER TABLE `books` ADD CONSTRAINT `check_books__heading` CHECK (CHAR_LENGTH(`heading`) <= 255);
ALTER TABLE `books` DROP CONSTRAINT `check_books__pages`;
ALTER TABLE `books` RENAME COLUMN `pages` TO `page_count`;
ALTER TABLE `books` ADD CONSTRAINT `check_books__page_count` CHECK (`page_count` >= 1);
ALTER TABLE `books` RENAME COLUMN `author_id` TO `writer_id`;
ALTER TABLE `books` RENAME COLUMN `note` TO `summary`;
ALTER TABLE `books` RENAME INDEX `ix_books__author_id__id__deleted_at` TO `ix_books__writer_id__id__deleted_at`;
ALTER TABLE `books` RENAME INDEX `ix_books__deleted_at__author_id__pages` TO `ix_books__deleted_at__writer_id__page_count`;
ALTER TABLE `books` RENAME INDEX `ix_books__deleted_at__pages` TO `ix_books__deleted_at__page_count`;
ALTER TABLE `books` RENAME INDEX `ux_books__title` TO `ux_books__heading`;

-- Writes all records anew, 1 here, while other writers of the table wait.
UPDATE `books` SET `shelf` = 'none' WHERE `shelf` IS NULL;
ALTER TABLE `books` MODIFY COLUMN `shelf` varchar(20) NOT NULL DEFAULT ('none');

ALTER TABLE `books` ADD COLUMN `language` VARCHAR(35) NOT NULL DEFAULT ('en'), ADD CONSTRAINT `check_books__language` CHECK (CHAR_LENGTH(`language`) <= 35);

ALTER TABLE `books` ADD COLUMN `is_old` BOOLEAN NOT NULL DEFAULT (1), ADD CONSTRAINT `check_books__is_old` CHECK (`is_old` IN (0, 1));
ALTER TABLE `books` ALTER COLUMN `is_old` SET DEFAULT (0);

-- There is no column `never` to rename.
ALTER TABLE `books` ADD COLUMN `colour` LONGTEXT;

-- Writes all records anew, 1 here, while other writers of the table wait.
ALTER TABLE `books` ADD COLUMN `crud_search_7eaef7c7` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci GENERATED ALWAYS AS (CONCAT('w__', REGEXP_REPLACE(CONCAT_WS(' ', `summary`), '[^[:alnum:]]+', ' w__'))) STORED, ADD FULLTEXT INDEX `search_7eaef7c7_books` (`crud_search_7eaef7c7`);
