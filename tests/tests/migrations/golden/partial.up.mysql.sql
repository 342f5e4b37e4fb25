-- Changes the database to match the structs. Review it before you apply it.
-- Tables and indexes that a service has already created stay as they are.

CREATE TABLE IF NOT EXISTS `notes` (
  `id` BIGINT AUTO_INCREMENT PRIMARY KEY NOT NULL,
  `author` BIGINT,
  `size` INT,
  INDEX `ix_notes__author__size` (`author`, `size`)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;

CREATE TABLE IF NOT EXISTS `marks` (
  `id` BIGINT AUTO_INCREMENT PRIMARY KEY NOT NULL,
  `author` BIGINT,
  `size` INT NOT NULL,
  `shelf` INT NOT NULL,
  `deleted_at` DATETIME(6),
  INDEX `ix_marks__deleted_at__author__size` (`deleted_at`, `author`, `size`),
  INDEX `ix_marks__deleted_at__shelf` (`deleted_at`, `shelf`),
  INDEX `ix_marks__deleted_at` (`deleted_at`)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;
