CREATE TABLE `notes` (
  `id` BIGINT AUTO_INCREMENT PRIMARY KEY NOT NULL,
  `text` LONGTEXT NOT NULL
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;

CREATE TABLE `audit_logs` (
  `id` BIGINT AUTO_INCREMENT PRIMARY KEY NOT NULL,
  `entity_type` LONGTEXT NOT NULL,
  `entity_id` BIGINT,
  `entity_key` LONGTEXT,
  `action` LONGTEXT NOT NULL,
  `user_id` BIGINT,
  `actor` LONGTEXT,
  `changes` LONGTEXT,
  `previous` LONGTEXT,
  `timestamp` DATETIME(6),
  `tenant` LONGTEXT,
  INDEX `ix_audit_logs__entity_type__entity_id__timestamp` (`entity_type`(255), `entity_id`, `timestamp`),
  INDEX `ix_audit_logs__timestamp` (`timestamp`),
  INDEX `ix_audit_logs__entity_type__entity_key__timestamp` (`entity_type`(255), `entity_key`(255), `timestamp`),
  INDEX `ix_audit_logs__user_id__timestamp` (`user_id`, `timestamp`),
  INDEX `ix_audit_logs__tenant__timestamp` (`tenant`(255), `timestamp`)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;

CREATE TABLE `crud_jobs` (
  `id` BIGINT AUTO_INCREMENT PRIMARY KEY NOT NULL,
  `kind` VARCHAR(100) NOT NULL,
  `payload` LONGTEXT NOT NULL,
  `run_at` DATETIME(6) NOT NULL,
  `unique_key` VARCHAR(255),
  `dead` BOOLEAN NOT NULL DEFAULT (0),
  `attempts` INT NOT NULL DEFAULT (0),
  `leased_until` DATETIME(6),
  `last_error` LONGTEXT,
  `tenant` LONGTEXT,
  `created_at` DATETIME(6) NOT NULL,
  CONSTRAINT `check_crud_jobs__kind` CHECK (CHAR_LENGTH(`kind`) >= 1 AND CHAR_LENGTH(`kind`) <= 100),
  CONSTRAINT `check_crud_jobs__unique_key` CHECK (CHAR_LENGTH(`unique_key`) <= 255),
  CONSTRAINT `check_crud_jobs__dead` CHECK (`dead` IN (0, 1)),
  UNIQUE INDEX `ux_crud_jobs__unique_key` (`unique_key`),
  INDEX `ix_crud_jobs__dead__run_at` (`dead`, `run_at`)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;

CREATE TABLE `crud_schedules` (
  `id` VARCHAR(255) PRIMARY KEY NOT NULL,
  `last_run` DATETIME(6) NOT NULL,
  CONSTRAINT `check_crud_schedules__id` CHECK (CHAR_LENGTH(`id`) <= 255)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;

CREATE TABLE `crud_counters` (
  `id` VARCHAR(255) PRIMARY KEY NOT NULL,
  `value` BIGINT NOT NULL,
  CONSTRAINT `check_crud_counters__id` CHECK (CHAR_LENGTH(`id`) <= 255)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;

CREATE TABLE `crud_secrets` (
  `id` VARCHAR(255) PRIMARY KEY NOT NULL,
  `value` LONGBLOB NOT NULL,
  CONSTRAINT `check_crud_secrets__id` CHECK (CHAR_LENGTH(`id`) <= 255)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;

CREATE TABLE `crud_idempotency` (
  `id` VARCHAR(64) PRIMARY KEY NOT NULL,
  `fingerprint` VARCHAR(64) NOT NULL,
  `status` INT,
  `headers` LONGTEXT,
  `body` LONGBLOB,
  `expires_at` DATETIME(6) NOT NULL,
  CONSTRAINT `check_crud_idempotency__id` CHECK (CHAR_LENGTH(`id`) <= 64),
  CONSTRAINT `check_crud_idempotency__fingerprint` CHECK (CHAR_LENGTH(`fingerprint`) <= 64),
  INDEX `ix_crud_idempotency__expires_at` (`expires_at`)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;

CREATE TABLE `crud_probes` (
  `id` VARCHAR(255) PRIMARY KEY NOT NULL,
  `written_at` DATETIME(6) NOT NULL,
  CONSTRAINT `check_crud_probes__id` CHECK (CHAR_LENGTH(`id`) <= 255)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */;

CREATE TABLE `auth_users` (
  `id` BIGINT AUTO_INCREMENT PRIMARY KEY NOT NULL,
  `username` VARCHAR(255) NOT NULL,
  `password_hash` LONGTEXT NOT NULL,
  `disabled` BOOLEAN NOT NULL DEFAULT (0),
  `roles` LONGTEXT NOT NULL DEFAULT ('[]'),
  `permissions` LONGTEXT NOT NULL DEFAULT ('[]'),
  `claims` LONGTEXT,
  `generation` VARCHAR(36),
  `tokens_since` DATETIME(6),
  `created_at` DATETIME(6) NOT NULL,
  `updated_at` DATETIME(6) NOT NULL,
  CONSTRAINT `check_auth_users__username` CHECK (CHAR_LENGTH(`username`) >= 1 AND CHAR_LENGTH(`username`) <= 255),
  CONSTRAINT `check_auth_users__disabled` CHECK (`disabled` IN (0, 1)),
  CONSTRAINT `check_auth_users__roles` CHECK (JSON_VALID(`roles`) AND JSON_TYPE(`roles`) = 'ARRAY'),
  CONSTRAINT `check_auth_users__permissions` CHECK (JSON_VALID(`permissions`) AND JSON_TYPE(`permissions`) = 'ARRAY'),
  CONSTRAINT `check_auth_users__generation` CHECK (CHAR_LENGTH(`generation`) <= 36),
  UNIQUE INDEX `ux_auth_users__username` (`username`)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ /*!80017 COLLATE utf8mb4_0900_bin */