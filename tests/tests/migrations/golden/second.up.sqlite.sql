-- Changes the database to match the structs. Review it before you apply it.

CREATE TABLE `authors` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `name` TEXT NOT NULL CONSTRAINT `check_name` CHECK (length(`name`) <= 100)
) STRICT;
CREATE INDEX `ix_authors__name` ON `authors` (`name`);

ALTER TABLE `books` ADD COLUMN `code` TEXT;

ALTER TABLE `books` ADD COLUMN `subtitle` TEXT;

ALTER TABLE `books` ADD COLUMN `rating` INTEGER NOT NULL DEFAULT 3 CONSTRAINT `check_rating` CHECK (`rating` BETWEEN -2147483648 AND 2147483647 AND `rating` <= 5);

ALTER TABLE `books` ADD COLUMN `author_id` INTEGER REFERENCES `authors` (`id`) ON DELETE SET NULL;

-- Reads all records, 1 here, while other writers of the database wait.
-- Fails where records have the same values:
-- SELECT `title`, COUNT(*) FROM `books` WHERE `title` IS NOT NULL GROUP BY `title` HAVING COUNT(*) > 1;
CREATE UNIQUE INDEX `ux_books__title` ON `books` (`title`);

-- If `isbn` was renamed, write this instead of the statements on both columns above:
-- ALTER TABLE `books` RENAME COLUMN `isbn` TO `code`;
-- ALTER TABLE `books` RENAME COLUMN `isbn` TO `subtitle`;

-- The struct no longer has `isbn`. This drops the column and its values:
-- ALTER TABLE `books` DROP COLUMN `isbn`;

-- If `shelf` was renamed, write this instead of the statements on both columns above:
-- ALTER TABLE `books` RENAME COLUMN `shelf` TO `code`;
-- ALTER TABLE `books` RENAME COLUMN `shelf` TO `subtitle`;

-- The struct no longer has `shelf`. This drops the column and its values:
-- ALTER TABLE `books` DROP COLUMN `shelf`;

-- Reads all records, 1 here, while other writers of the database wait.
CREATE INDEX `ix_books__pages` ON `books` (`pages`);

-- Reads all records, 1 here, while other writers of the database wait.
CREATE INDEX `ix_books__author_id` ON `books` (`author_id`);
