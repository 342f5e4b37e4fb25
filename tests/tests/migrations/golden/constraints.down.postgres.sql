-- Reverts that. Review it before you apply it.
-- For an up file of the hash 0c4bf80d32e00b55

ALTER TABLE "goods" DROP CONSTRAINT "goods_shop_id_fkey";

ALTER TABLE "goods" DROP CONSTRAINT "check_state";
-- Fails where a record has another value.
ALTER TABLE "goods" ADD CONSTRAINT "check_state" CHECK ((state = ANY (ARRAY['New'::text, 'Sold'::text])));

ALTER TABLE "goods" DROP CONSTRAINT "check_name";
-- Fails where a record has another value.
ALTER TABLE "goods" ADD CONSTRAINT "check_name" CHECK ((char_length(name) <= 50));

DROP INDEX "ix_goods__shop_id__id";

-- Fails where a record has no value in "legacy", unless you say what it gets.
-- UPDATE "goods" SET "legacy" = … WHERE "legacy" IS NULL;
ALTER TABLE "goods" ALTER COLUMN "legacy" SET NOT NULL;

ALTER TABLE "goods" DROP COLUMN "stock";

ALTER TABLE "goods" ALTER COLUMN "remark" DROP NOT NULL;

-- Fails where a record has no value in "note", unless you say what it gets.
-- UPDATE "goods" SET "note" = … WHERE "note" IS NULL;
ALTER TABLE "goods" ALTER COLUMN "note" SET NOT NULL;
