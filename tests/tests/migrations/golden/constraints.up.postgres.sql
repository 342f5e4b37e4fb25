-- Changes the database to match the structs. Review it before you apply it.

ALTER TABLE "goods" ALTER COLUMN "note" DROP NOT NULL;

ALTER TABLE "goods" ADD COLUMN "stock" integer;

ALTER TABLE "goods" ADD CONSTRAINT "check_stock" CHECK ("stock" >= 0) NOT VALID;

-- "price" is UNIQUE, and no field asks for it. If that is to end:
-- DROP INDEX "ux_goods__price";

-- "other_id" has a foreign key to `shops`, and no field. If that is to end:
-- ALTER TABLE "goods" DROP CONSTRAINT "goods_other_id_fkey";

-- "legacy" is in no field: it is kept, and new records have nothing in it.
ALTER TABLE "goods" ALTER COLUMN "legacy" DROP NOT NULL;

-- The struct no longer has "legacy". This drops the column and its values:
-- ALTER TABLE "goods" DROP COLUMN "legacy";

ALTER TABLE "goods" DROP CONSTRAINT "check_name";
ALTER TABLE "goods" ADD CONSTRAINT "check_name" CHECK ((char_length(name) <= 80)) NOT VALID;

ALTER TABLE "goods" DROP CONSTRAINT "check_state";
ALTER TABLE "goods" ADD CONSTRAINT "check_state" CHECK ((state = ANY (ARRAY['New'::text, 'Sold'::text, 'Lost'::text]))) NOT VALID;

ALTER TABLE "goods" ADD CONSTRAINT "goods_shop_id_fkey" FOREIGN KEY ("shop_id") REFERENCES "shops" ("id") ON DELETE RESTRICT NOT VALID;

-- no-transaction

-- Goes on with the file before: makes an index while others use the table, in no transaction.

CREATE INDEX CONCURRENTLY "ix_goods__shop_id__id" ON "goods" ("shop_id", "id");

-- Goes on with the file before, in a separate transaction.

-- The next file fails where a record has no value in "remark", unless you say what it gets.
-- UPDATE "goods" SET "remark" = … WHERE "remark" IS NULL;
ALTER TABLE "goods" ADD CONSTRAINT "goods_remark_not_null" CHECK ("remark" IS NOT NULL) NOT VALID;

-- The next file fails where a record has no value in "stock", unless you say what it gets.
-- UPDATE "goods" SET "stock" = … WHERE "stock" IS NULL;
ALTER TABLE "goods" ADD CONSTRAINT "goods_stock_not_null" CHECK ("stock" IS NOT NULL) NOT VALID;

-- Goes on with the file before, in a separate transaction.

-- Fails where a record violates it.
ALTER TABLE "goods" VALIDATE CONSTRAINT "goods_remark_not_null";

-- Fails where a record violates it.
ALTER TABLE "goods" VALIDATE CONSTRAINT "check_stock";

-- Fails where a record violates it.
ALTER TABLE "goods" VALIDATE CONSTRAINT "goods_stock_not_null";

-- Fails where a record violates it.
ALTER TABLE "goods" VALIDATE CONSTRAINT "check_name";

-- Fails where a record violates it.
ALTER TABLE "goods" VALIDATE CONSTRAINT "check_state";

-- Fails where a record violates it.
ALTER TABLE "goods" VALIDATE CONSTRAINT "goods_shop_id_fkey";

-- Goes on with the file before, in a separate transaction.

ALTER TABLE "goods" ALTER COLUMN "remark" SET NOT NULL;
ALTER TABLE "goods" DROP CONSTRAINT "goods_remark_not_null";

ALTER TABLE "goods" ALTER COLUMN "stock" SET NOT NULL;
ALTER TABLE "goods" DROP CONSTRAINT "goods_stock_not_null";
