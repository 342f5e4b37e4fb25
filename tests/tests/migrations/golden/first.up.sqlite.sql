-- Changes the database to match the structs. Review it before you apply it.
-- Tables and indexes that a service has already created stay as they are.

CREATE TABLE IF NOT EXISTS `books` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `title` TEXT NOT NULL CONSTRAINT `check_title` CHECK (length(`title`) <= 255),
  `isbn` TEXT,
  `shelf` TEXT,
  `pages` INTEGER NOT NULL CONSTRAINT `check_pages` CHECK (`pages` BETWEEN -2147483648 AND 2147483647 AND `pages` >= 1)
) STRICT;
