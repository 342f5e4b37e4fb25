-- Reverts that. Review it before you apply it.
-- For an up file of the hash bd70f9411f83330b

DROP INDEX `ix_books__author_id`;

DROP INDEX `ix_books__pages`;

-- If `shelf` was renamed, write this instead of the statements on both columns below:
-- ALTER TABLE `books` RENAME COLUMN `subtitle` TO `shelf`;
-- ALTER TABLE `books` RENAME COLUMN `code` TO `shelf`;

-- If `isbn` was renamed, write this instead of the statements on both columns below:
-- ALTER TABLE `books` RENAME COLUMN `subtitle` TO `isbn`;
-- ALTER TABLE `books` RENAME COLUMN `code` TO `isbn`;

DROP INDEX `ux_books__title`;

ALTER TABLE `books` DROP COLUMN `author_id`;

ALTER TABLE `books` DROP COLUMN `rating`;

ALTER TABLE `books` DROP COLUMN `subtitle`;

ALTER TABLE `books` DROP COLUMN `code`;

DROP TABLE `authors`;
