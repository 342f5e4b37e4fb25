-- Changes the database to match the structs. Review it before you apply it.
-- Tables and indexes that a service has already created stay as they are.

CREATE TABLE IF NOT EXISTS `books` (
  `id` BIGINT AUTO_INCREMENT PRIMARY KEY NOT NULL,
  `title` VARCHAR(255) NOT NULL,
  `isbn` LONGTEXT,
  `shelf` LONGTEXT,
  `pages` INT NOT NULL,
  CONSTRAINT `check_books__title` CHECK (CHAR_LENGTH(`title`) <= 255),
  CONSTRAINT `check_books__pages` CHECK (`pages` >= 1)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;
