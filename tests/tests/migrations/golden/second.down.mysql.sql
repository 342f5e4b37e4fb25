-- Reverts that. Review it before you apply it.
-- For an up file of the hash ecf95a55677354b6

ALTER TABLE `books` DROP FOREIGN KEY `books_author_id_fkey`;

DROP INDEX `ix_books__author_id` ON `books`;

DROP INDEX `ix_books__pages` ON `books`;

-- If `shelf` was renamed, write this instead of the statements on both columns below:
-- ALTER TABLE `books` RENAME COLUMN `subtitle` TO `shelf`;
-- ALTER TABLE `books` RENAME COLUMN `code` TO `shelf`;

-- If `isbn` was renamed, write this instead of the statements on both columns below:
-- ALTER TABLE `books` RENAME COLUMN `subtitle` TO `isbn`;
-- ALTER TABLE `books` RENAME COLUMN `code` TO `isbn`;

DROP INDEX `ux_books__title` ON `books`;

ALTER TABLE `books` DROP COLUMN `author_id`;

ALTER TABLE `books` DROP CONSTRAINT `check_books__rating`, DROP COLUMN `rating`;

ALTER TABLE `books` DROP COLUMN `subtitle`;

ALTER TABLE `books` DROP COLUMN `code`;

DROP TABLE `authors`;
