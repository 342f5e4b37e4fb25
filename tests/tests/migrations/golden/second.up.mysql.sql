-- Changes the database to match the structs. Review it before you apply it.

CREATE TABLE `authors` (
  `id` BIGINT AUTO_INCREMENT PRIMARY KEY NOT NULL,
  `name` VARCHAR(100) NOT NULL,
  CONSTRAINT `check_authors__name` CHECK (CHAR_LENGTH(`name`) <= 100),
  INDEX `ix_authors__name` (`name`)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;

ALTER TABLE `books` ADD COLUMN `code` LONGTEXT;

ALTER TABLE `books` ADD COLUMN `subtitle` LONGTEXT;

ALTER TABLE `books` ADD COLUMN `rating` INT NOT NULL DEFAULT (3), ADD CONSTRAINT `check_books__rating` CHECK (`rating` <= 5);

ALTER TABLE `books` ADD COLUMN `author_id` BIGINT;

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

CREATE INDEX `ix_books__pages` ON `books` (`pages`);

CREATE INDEX `ix_books__author_id` ON `books` (`author_id`);

-- Writes all records anew, 1 here, while other writers of the table wait.
-- Fails where a record refers to none.
ALTER TABLE `books` ADD CONSTRAINT `books_author_id_fkey` FOREIGN KEY (`author_id`) REFERENCES `authors` (`id`) ON DELETE SET NULL;
