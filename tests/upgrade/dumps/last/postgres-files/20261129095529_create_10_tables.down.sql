-- Reverts that. Review it before you apply it.
-- For an up file of the hash 93c67a2069684dfb

DROP TABLE "auth_revocations";

DROP TABLE "auth_users";

DROP TABLE "crud_idempotency";

DROP TABLE "crud_secrets";

DROP TABLE "crud_counters";

DROP TABLE "crud_schedules";

DROP TABLE "crud_jobs";

DROP TABLE "audit_logs";

DROP TABLE "letters";

DROP TABLE "notes";
