-- Changes the database to match the structs. Review it before you apply it.

ALTER TABLE "goods" ALTER COLUMN "note" DROP NOT NULL;

-- Fails where a record has no value in "remark", unless you say what it gets.
-- UPDATE "goods" SET "remark" = … WHERE "remark" IS NULL;
ALTER TABLE "goods" ALTER COLUMN "remark" SET NOT NULL;

-- Every record needs a value in "stock", and the field has no constant default: this fails where there are
-- records, unless you say what they get.
ALTER TABLE "goods" ADD COLUMN "stock" integer CONSTRAINT "check_stock" CHECK ("stock" >= 0);
-- UPDATE "goods" SET "stock" = …;
ALTER TABLE "goods" ALTER COLUMN "stock" SET NOT NULL;

-- "price" is UNIQUE, and no field asks for it. If that is to end:
-- DROP INDEX "ux_goods__price";

-- "other_id" has a foreign key to `shops`, and no field. If that is to end:
-- ALTER TABLE "goods" DROP CONSTRAINT "goods_other_id_fkey";

-- "legacy" is in no field: it is kept, and new records have nothing in it.
ALTER TABLE "goods" ALTER COLUMN "legacy" DROP NOT NULL;

-- The struct no longer has "legacy". This drops the column and its values:
-- ALTER TABLE "goods" DROP COLUMN "legacy";

CREATE INDEX "ix_goods__shop_id__id" ON "goods" ("shop_id", "id");

ALTER TABLE "goods" DROP CONSTRAINT "check_name";
-- Fails where a record has another value.
ALTER TABLE "goods" ADD CONSTRAINT "check_name" CHECK ((char_length(name) <= 80));

ALTER TABLE "goods" DROP CONSTRAINT "check_state";
-- Fails where a record has another value.
ALTER TABLE "goods" ADD CONSTRAINT "check_state" CHECK ((state = ANY (ARRAY['New'::text, 'Sold'::text, 'Lost'::text])));

-- Fails where a record refers to none.
ALTER TABLE "goods" ADD CONSTRAINT "goods_shop_id_fkey" FOREIGN KEY ("shop_id") REFERENCES "shops" ("id") ON DELETE RESTRICT;
