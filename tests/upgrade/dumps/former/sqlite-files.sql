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
  `created_at` TEXT NOT NULL,
  `updated_at` TEXT NOT NULL,
  UNIQUE (`username`)
) STRICT;
CREATE TABLE `auth_revocations` (
  `id` TEXT PRIMARY KEY NOT NULL CONSTRAINT `check_id` CHECK (length(`id`) <= 255),
  `expires_at` TEXT NOT NULL
) STRICT;
INSERT INTO "_crud_migrations" VALUES (20261129013347, 'create 10 tables', '2026-11-29 01:33:47', 1, X'C6514105F15DBFFC51A4D997525D616ADCFBCB681EAE4D368A6DCA7395EA8AF033C5D3CED8BCA2573FD6ADC08E82727C', 848603);
INSERT INTO "notes" VALUES (1, 'changed then');
INSERT INTO "notes" VALUES (2, 'second then');
INSERT INTO "notes" VALUES (3, 'later then');
INSERT INTO "letters" VALUES (1, 'first then');
INSERT INTO "letters" VALUES (2, 'second then');
INSERT INTO "letters" VALUES (3, 'changed then');
INSERT INTO "audit_logs" VALUES (1, 'Note', 1, NULL, 'create', 1, '1', '{"id":1,"text":"first then"}', NULL, '2026-11-29T01:33:48.353248Z', NULL);
INSERT INTO "audit_logs" VALUES (2, 'Note', 2, NULL, 'create', 1, '1', '{"id":2,"text":"second then"}', NULL, '2026-11-29T01:33:48.370628Z', NULL);
INSERT INTO "audit_logs" VALUES (3, 'Note', 3, NULL, 'create', 1, '1', '{"id":3,"text":"later then"}', NULL, '2026-11-29T01:33:48.376997Z', NULL);
INSERT INTO "audit_logs" VALUES (4, 'Note', 1, NULL, 'update', 1, '1', '{"text":"changed then"}', '{"text":"first then"}', '2026-11-29T01:33:48.390570Z', NULL);
INSERT INTO "crud_jobs" VALUES (3, 'letter', '{"text":"later then"}', '2026-11-29T02:33:48.377191Z', NULL, 0, 0, NULL, NULL, NULL, '2026-11-29T01:33:48.377256Z');
INSERT INTO "crud_secrets" VALUES ('cursors', X'389AA2B0AB6161E2EB46AF1EECD76CBEEC452073633DAA3F7AB62E6100357C9C');
INSERT INTO "crud_idempotency" VALUES ('babe11ea02483ec7f6f4e47f0766b47917a23784a551d26981732c3c173142de', '1ddba11acdc03ab5f767417ab96708b4988d5ef470c293fa8f1952b76ca0832d', 201, '{"content-type":"application/json","etag":"\"b81a03def5f85c07cad90fc346013907\"","location":"/notes/1"}', X'7B226964223A312C2274657874223A226669727374207468656E227D', '2026-11-30T01:33:48.352576Z');
INSERT INTO "auth_users" VALUES (1, 'admin', '$argon2id$v=19$m=19456,t=2,p=1$b2RB1dKckOvExJkoii6SAw$WBBtBuwwf2WVhkpAY0kAZseJZ4amycn6b8SSHNDlVLQ', 0, '["admin"]', '[]', NULL, NULL, '2026-11-29T01:33:48.074075Z', '2026-11-29T01:33:48.074075Z');
INSERT INTO "auth_users" VALUES (2, 'open then', '$argon2id$v=19$m=19456,t=2,p=1$FJmf81ah6fZGPseZjGC0GA$dkXDH5+bIeXKhjDKFLh+vvYmFZ1Xk4TkQkO3ViF2FFI', 0, '[]', '[]', NULL, NULL, '2026-11-29T01:33:48.134177Z', '2026-11-29T01:33:48.134177Z');
INSERT INTO "auth_users" VALUES (3, 'ended then', '$argon2id$v=19$m=19456,t=2,p=1$BbQefnzdaRckY+719ELK7Q$KyI+9HA82hIfiipzxm+IiIhCCTtAKRjCcjJ79ZpSTAo', 0, '[]', '[]', NULL, '01a224ef-d99f-7462-b93d-c4a4f2e70f48', '2026-11-29T01:33:48.178186Z', '2026-11-29T01:33:48.320303Z');
INSERT INTO "auth_users" VALUES (4, 'disabled then', '$argon2id$v=19$m=19456,t=2,p=1$CDtGuTPTCWVX5H3gUg8e4w$eKdvueiBe+iOsS7qhEvy1n9V3d+LYmFFL3cPVHky5Bo', 1, '[]', '[]', NULL, '01a224ef-d9ac-73b9-9cd2-07ccbef33e3c', '2026-11-29T01:33:48.213491Z', '2026-11-29T01:33:48.333163Z');
INSERT INTO "auth_users" VALUES (5, 'left then', '$argon2id$v=19$m=19456,t=2,p=1$Hr0DxsEsI8FrC/17iiajAg$JAOWY32qZjP1PQZ5hdW6QJh4HY1PnijlyL0wTTdpvnY', 0, '[]', '[]', NULL, NULL, '2026-11-29T01:33:48.250236Z', '2026-11-29T01:33:48.250236Z');
INSERT INTO "auth_revocations" VALUES ('01a224ef-d97f-7639-92a5-0a2fdf6e8ad1', '2126-11-05T01:33:49.000000Z');
INSERT INTO "auth_revocations" VALUES ('01a224ef-d97f-7639-92a5-0a2d03ff6e3f', '2126-11-05T01:33:49.000000Z');
INSERT INTO "auth_revocations" VALUES ('01a224ef-d96e-772b-9b62-566d4a131ab3', '2126-11-05T01:33:49.000000Z');
INSERT INTO "auth_revocations" VALUES ('01a224ef-d96e-772b-9b62-566bd6b3868d', '2126-11-05T01:33:49.000000Z');
CREATE INDEX `ix_audit_logs__entity_type__entity_id__timestamp` ON `audit_logs` (`entity_type`, `entity_id`, `timestamp`);
CREATE INDEX `ix_audit_logs__timestamp` ON `audit_logs` (`timestamp`);
CREATE INDEX `ix_audit_logs__entity_type__some_entity_key__timestamp` ON `audit_logs` (`entity_type`, `entity_key`, `timestamp`) WHERE `entity_key` IS NOT NULL;
CREATE INDEX `ix_audit_logs__some_user_id__timestamp` ON `audit_logs` (`user_id`, `timestamp`) WHERE `user_id` IS NOT NULL;
CREATE INDEX `ix_audit_logs__some_tenant__timestamp` ON `audit_logs` (`tenant`, `timestamp`) WHERE `tenant` IS NOT NULL;
CREATE INDEX `ix_crud_jobs__dead__run_at` ON `crud_jobs` (`dead`, `run_at`);
CREATE INDEX `ix_crud_idempotency__expires_at__id` ON `crud_idempotency` (`expires_at`, `id`);
CREATE INDEX `ix_auth_revocations__expires_at__id` ON `auth_revocations` (`expires_at`, `id`);
