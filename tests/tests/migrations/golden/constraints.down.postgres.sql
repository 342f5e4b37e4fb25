-- Reverts that. Review it before you apply it.
-- For an up file of the hash ab59ca00fae7cb5d

ALTER TABLE "goods" DROP CONSTRAINT "goods_shop_id_fkey";

ALTER TABLE "goods" DROP CONSTRAINT "check_state";
-- Fails where a record has another value.
ALTER TABLE "goods" ADD CONSTRAINT "check_state" CHECK ((state = ANY (ARRAY['New'::text, 'Sold'::text])));

ALTER TABLE "goods" DROP CONSTRAINT "check_name";
-- Fails where a record has another value.
ALTER TABLE "goods" ADD CONSTRAINT "check_name" CHECK ((char_length(name) <= 50));

-- Fails where a record has no value in "legacy", unless you say what it gets.
-- UPDATE "goods" SET "legacy" = … WHERE "legacy" IS NULL;
ALTER TABLE "goods" ALTER COLUMN "legacy" SET NOT NULL;

-- If the UNIQUE of "price" was dropped:
-- CREATE UNIQUE INDEX "ux_goods__price" ON "goods" ("price");

ALTER TABLE "goods" DROP CONSTRAINT "check_stock";

ALTER TABLE "goods" DROP COLUMN "stock";

-- Fails where a record has no value in "note", unless you say what it gets.
-- UPDATE "goods" SET "note" = … WHERE "note" IS NULL;
ALTER TABLE "goods" ALTER COLUMN "note" SET NOT NULL;

-- no-transaction

-- Reverts that. Review it before you apply it.
-- For an up file of the hash c60463a131f7f023

DROP INDEX CONCURRENTLY "ix_goods__shop_id__id";

-- Reverts that. Review it before you apply it.
-- For an up file of the hash 117cda690bf9d500

ALTER TABLE "goods" DROP CONSTRAINT IF EXISTS "goods_stock_not_null";

ALTER TABLE "goods" DROP CONSTRAINT IF EXISTS "goods_remark_not_null";

-- Reverts that. Review it before you apply it.
-- For an up file of the hash 5f44fa3ff9730e1f

-- Reverts that. Review it before you apply it.
-- For an up file of the hash 4a3a1d81575aa1a9

ALTER TABLE "goods" ALTER COLUMN "stock" DROP NOT NULL;

ALTER TABLE "goods" ALTER COLUMN "remark" DROP NOT NULL;
