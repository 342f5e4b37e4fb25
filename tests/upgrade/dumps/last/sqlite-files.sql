CREATE TABLE _crud_migrations (
        version BIGINT PRIMARY KEY,
        description TEXT NOT NULL,
        installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
        success BOOLEAN NOT NULL,
        checksum BLOB NOT NULL,
        execution_time BIGINT NOT NULL
    );
CREATE TABLE `notes` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `text` TEXT NOT NULL CONSTRAINT `check_text` CHECK (length(`text`) <= 100)
) STRICT;
CREATE TABLE `letters` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `text` TEXT NOT NULL
) STRICT;
CREATE TABLE `audit_logs` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `entity_type` TEXT NOT NULL,
  `entity_id` INTEGER,
  `entity_key` TEXT,
  `action` TEXT NOT NULL,
  `user_id` INTEGER,
  `actor` TEXT,
  `changes` TEXT CONSTRAINT `check_changes` CHECK ((`changes` IS NULL OR json_valid(`changes`))),
  `previous` TEXT CONSTRAINT `check_previous` CHECK ((`previous` IS NULL OR json_valid(`previous`))),
  `timestamp` TEXT,
  `tenant` TEXT
) STRICT;
CREATE TABLE `crud_jobs` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `kind` TEXT NOT NULL CONSTRAINT `check_kind` CHECK (length(`kind`) >= 1 AND length(`kind`) <= 100),
  `payload` TEXT NOT NULL CONSTRAINT `check_payload` CHECK (json_valid(`payload`)),
  `run_at` TEXT NOT NULL,
  `unique_key` TEXT CONSTRAINT `check_unique_key` CHECK (length(`unique_key`) <= 255),
  `dead` INTEGER NOT NULL DEFAULT 0 CONSTRAINT `check_dead` CHECK (`dead` IN (0, 1)),
  `attempts` INTEGER NOT NULL DEFAULT 0 CONSTRAINT `check_attempts` CHECK (`attempts` BETWEEN -2147483648 AND 2147483647),
  `leased_until` TEXT,
  `last_error` TEXT,
  `tenant` TEXT,
  `created_at` TEXT NOT NULL,
  UNIQUE (`unique_key`)
) STRICT;
CREATE TABLE `crud_schedules` (
  `id` TEXT PRIMARY KEY NOT NULL CONSTRAINT `check_id` CHECK (length(`id`) <= 255),
  `last_run` TEXT NOT NULL
) STRICT;
CREATE TABLE `crud_counters` (
  `id` TEXT PRIMARY KEY NOT NULL CONSTRAINT `check_id` CHECK (length(`id`) <= 255),
  `value` INTEGER NOT NULL
) STRICT;
CREATE TABLE `crud_secrets` (
  `id` TEXT PRIMARY KEY NOT NULL CONSTRAINT `check_id` CHECK (length(`id`) <= 255),
  `value` BLOB NOT NULL
) STRICT;
CREATE TABLE `crud_idempotency` (
  `id` TEXT PRIMARY KEY NOT NULL CONSTRAINT `check_id` CHECK (length(`id`) <= 64),
  `fingerprint` TEXT NOT NULL CONSTRAINT `check_fingerprint` CHECK (length(`fingerprint`) <= 64),
  `status` INTEGER CONSTRAINT `check_status` CHECK (`status` BETWEEN -2147483648 AND 2147483647),
  `headers` TEXT CONSTRAINT `check_headers` CHECK ((`headers` IS NULL OR json_valid(`headers`))),
  `body` BLOB,
  `expires_at` TEXT NOT NULL
) STRICT;
CREATE TABLE `auth_users` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  `username` TEXT NOT NULL CONSTRAINT `check_username` CHECK (length(`username`) >= 1 AND length(`username`) <= 255),
  `password_hash` TEXT NOT NULL,
  `disabled` INTEGER NOT NULL DEFAULT 0 CONSTRAINT `check_disabled` CHECK (`disabled` IN (0, 1)),
  `roles` TEXT NOT NULL DEFAULT '[]' CONSTRAINT `check_roles` CHECK (json_valid(`roles`) AND json_type(`roles`) = 'array'),
  `permissions` TEXT NOT NULL DEFAULT '[]' CONSTRAINT `check_permissions` CHECK (json_valid(`permissions`) AND json_type(`permissions`) = 'array'),
  `claims` TEXT CONSTRAINT `check_claims` CHECK ((`claims` IS NULL OR json_valid(`claims`))),
  `generation` TEXT CONSTRAINT `check_generation` CHECK (length(`generation`) <= 36),
  `tokens_since` TEXT,
  `created_at` TEXT NOT NULL,
  `updated_at` TEXT NOT NULL,
  UNIQUE (`username`)
) STRICT;
CREATE TABLE `auth_revocations` (
  `id` TEXT PRIMARY KEY NOT NULL CONSTRAINT `check_id` CHECK (length(`id`) <= 255),
  `expires_at` TEXT NOT NULL
) STRICT;
INSERT INTO "_crud_migrations" VALUES (20261129095527, 'create 10 tables', '2026-11-29 09:55:27', 1, X'910792DB8467F39404E5BE25F2F1FCC81DB694D905903024613968A9BBF661EA217E1968E92ACD7648AB16DAF9DF5306', 4335616);
INSERT INTO "notes" VALUES (1, 'changed then');
INSERT INTO "notes" VALUES (2, 'second then');
INSERT INTO "notes" VALUES (3, 'later then');
INSERT INTO "letters" VALUES (1, 'first then');
INSERT INTO "letters" VALUES (2, 'second then');
INSERT INTO "letters" VALUES (3, 'changed then');
INSERT INTO "audit_logs" VALUES (1, 'Note', 1, NULL, 'create', 1, '1', '{"id":1,"text":"first then"}', NULL, '2026-11-29T09:55:29.318898Z', NULL);
INSERT INTO "audit_logs" VALUES (2, 'Note', 2, NULL, 'create', 1, '1', '{"id":2,"text":"second then"}', NULL, '2026-11-29T09:55:29.392537Z', NULL);
INSERT INTO "audit_logs" VALUES (3, 'Note', 3, NULL, 'create', 1, '1', '{"id":3,"text":"later then"}', NULL, '2026-11-29T09:55:29.439993Z', NULL);
INSERT INTO "audit_logs" VALUES (4, 'Note', 1, NULL, 'update', 1, '1', '{"text":"changed then"}', '{"text":"first then"}', '2026-11-29T09:55:29.486728Z', NULL);
INSERT INTO "crud_jobs" VALUES (3, 'letter', '{"text":"later then"}', '2026-11-29T10:55:29.440291Z', NULL, 0, 0, NULL, NULL, NULL, '2026-11-29T09:55:29.440415Z');
INSERT INTO "crud_secrets" VALUES ('cursors', X'8253E133F19F34A7FA9E122DD00A3A495A51737CE3DAF7E2648905885F64E2F1');
INSERT INTO "crud_idempotency" VALUES ('babe11ea02483ec7f6f4e47f0766b47917a23784a551d26981732c3c173142de', '1ddba11acdc03ab5f767417ab96708b4988d5ef470c293fa8f1952b76ca0832d', 201, '{"content-type":"application/json","etag":"\"b81a03def5f85c07cad90fc346013907\"","location":"/notes/1"}', X'7B226964223A312C2274657874223A226669727374207468656E227D', '2026-11-30T09:55:29.318239Z');
INSERT INTO "auth_users" VALUES (1, 'admin', '$argon2id$v=19$m=19456,t=2,p=1$YN9UBXIUqZd27SKYIDeumw$T8Gg7WLsjEmmfdkHBy0RI2Rf5tB3Lk/dVbP67wrsQ3o', 0, '["admin"]', '[]', NULL, NULL, NULL, '2026-11-29T09:55:27.880547Z', '2026-11-29T09:55:27.880547Z');
INSERT INTO "auth_users" VALUES (2, 'open then', '$argon2id$v=19$m=19456,t=2,p=1$kVfw9IBI4J+QauNMvAxisg$ARx07AY/2TKMKlvPegT1o3xfGQR+mG4CPN4VwlX2p9k', 0, '[]', '[]', NULL, NULL, NULL, '2026-11-29T09:55:28.089221Z', '2026-11-29T09:55:28.089221Z');
INSERT INTO "auth_users" VALUES (3, 'ended then', '$argon2id$v=19$m=19456,t=2,p=1$Pn4LR4nQdHt+8/NcIWSgqw$4q/SIND2qa/Y0/TJipaXG702jHJHcLBYXzCICfAXmlE', 0, '[]', '[]', NULL, '01a226bb-2774-7602-be40-6a6f6641af48', '2026-11-29T09:55:30.000000Z', '2026-11-29T09:55:28.271632Z', '2026-11-29T09:55:29.273432Z');
INSERT INTO "auth_users" VALUES (4, 'disabled then', '$argon2id$v=19$m=19456,t=2,p=1$KspY+BHP1D3OmIcRP22qRA$uOpkzzgh8EBO3G+dkBUyIBzc9piIFTQQz4AckmhSius', 1, '[]', '[]', NULL, '01a226bb-2790-76be-af9d-aed0fbd01fc9', '2026-11-29T09:55:30.000000Z', '2026-11-29T09:55:28.578858Z', '2026-11-29T09:55:29.296380Z');
INSERT INTO "auth_users" VALUES (5, 'left then', '$argon2id$v=19$m=19456,t=2,p=1$PIyUbSm/lfVt+PdJu1iGeA$UWXx6uOL/1QHVZJYjFGv7INaQzSvFBeQteo9XAAgD+0', 0, '[]', '[]', NULL, NULL, NULL, '2026-11-29T09:55:28.919857Z', '2026-11-29T09:55:28.919857Z');
INSERT INTO "auth_revocations" VALUES ('01a226bb-26c9-725f-b651-86cbc375b4a6', '2126-11-05T09:55:30.000000Z');
INSERT INTO "auth_revocations" VALUES ('01a226bb-26c9-725f-b651-86c9b23b6664', '2126-11-05T09:55:30.000000Z');
INSERT INTO "auth_revocations" VALUES ('01a226bb-265e-702d-91b8-74b7fbdfda27', '2126-11-05T09:55:30.000000Z');
INSERT INTO "auth_revocations" VALUES ('01a226bb-265d-7096-8114-dcd207e72fa7', '2126-11-05T09:55:30.000000Z');
CREATE INDEX `ix_audit_logs__entity_type__entity_id__timestamp` ON `audit_logs` (`entity_type`, `entity_id`, `timestamp`);
CREATE INDEX `ix_audit_logs__timestamp` ON `audit_logs` (`timestamp`);
CREATE INDEX `ix_audit_logs__entity_type__some_entity_key__timestamp` ON `audit_logs` (`entity_type`, `entity_key`, `timestamp`) WHERE `entity_key` IS NOT NULL;
CREATE INDEX `ix_audit_logs__some_user_id__timestamp` ON `audit_logs` (`user_id`, `timestamp`) WHERE `user_id` IS NOT NULL;
CREATE INDEX `ix_audit_logs__some_tenant__timestamp` ON `audit_logs` (`tenant`, `timestamp`) WHERE `tenant` IS NOT NULL;
CREATE INDEX `ix_crud_jobs__dead__run_at` ON `crud_jobs` (`dead`, `run_at`);
CREATE INDEX `ix_crud_idempotency__expires_at__id` ON `crud_idempotency` (`expires_at`, `id`);
CREATE INDEX `ix_auth_revocations__expires_at__id` ON `auth_revocations` (`expires_at`, `id`);
