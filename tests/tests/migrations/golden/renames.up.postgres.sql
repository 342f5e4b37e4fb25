-- Changes the database to match the structs. Review it before you apply it.

DROP INDEX "search_ec9be306_books";

ALTER TABLE "books" RENAME COLUMN "title" TO "heading";
ALTER TABLE "books" RENAME CONSTRAINT "check_title" TO "check_heading";
ALTER TABLE "books" RENAME COLUMN "pages" TO "page_count";
ALTER TABLE "books" RENAME CONSTRAINT "check_pages" TO "check_page_count";
ALTER TABLE "books" RENAME COLUMN "author_id" TO "writer_id";
ALTER TABLE "books" RENAME CONSTRAINT "books_author_id_fkey" TO "books_writer_id_fkey";
ALTER TABLE "books" RENAME COLUMN "note" TO "summary";
ALTER INDEX "ux_books__title" RENAME TO "ux_books__heading";
ALTER INDEX "ix_books__author_id__pages" RENAME TO "ix_books__writer_id__page_count";
ALTER INDEX "ix_books__author_id__id__deleted_at" RENAME TO "ix_books__writer_id__id__deleted_at";
ALTER INDEX "ix_books__pages__id" RENAME TO "ix_books__page_count__id";

ALTER TABLE "books" ADD COLUMN "language" text COLLATE "C" NOT NULL DEFAULT 'en';

ALTER TABLE "books" ADD CONSTRAINT "check_language" CHECK (char_length("language") <= 35) NOT VALID;

ALTER TABLE "books" ADD COLUMN "is_old" boolean NOT NULL DEFAULT true;
ALTER TABLE "books" ALTER COLUMN "is_old" SET DEFAULT false;

-- There is no column "never" to rename.
ALTER TABLE "books" ADD COLUMN "colour" text COLLATE "C";

-- no-transaction

-- Goes on with the file before: makes an index while others use the table, in no transaction.

CREATE INDEX CONCURRENTLY "search_2818189a_books" ON "books" USING gin (to_tsvector('simple', regexp_replace((coalesce("books"."summary", '')) COLLATE "C", '[\u0001-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00A9\u00AB-\u00B1\u00B4-\u00B4\u00B6-\u00B8\u00BB-\u00BB\u00BF-\u00BF\u00D7-\u00D7\u00F7-\u00F7\u02C2-\u02C5\u02D2-\u02DF\u037E-\u037E\u0387-\u0387\u055A-\u055F\u0589-\u058F\u05BE-\u05BE\u05C0-\u05C0\u05C3-\u05C3\u05F3-\u060F\u061B-\u061F\u066A-\u066D\u06D4-\u06D4\u0700-\u070F\u0964-\u0965\u0970-\u0970\u0DF4-\u0DF4\u0E3F-\u0E3F\u0E4F-\u0E4F\u0E5A-\u0E5B\u0F04-\u0F14\u104A-\u104F\u10FB-\u10FB\u1360-\u1368\u166D-\u166E\u1680-\u1680\u17D4-\u17D6\u17D8-\u17DB\u1800-\u180A\u1FBD-\u1FBD\u1FBF-\u1FC1\u1FFD-\u206F\u20A0-\u20C0\u2190-\u245F\u2500-\u2775\u2794-\u2BFF\u2E00-\u2E2E\u2E30-\u3004\u3008-\u3020\u3030-\u3030\u303D-\u303F\u30A0-\u30A0\u30FB-\u30FB\uE000-\uF8FF\uFE10-\uFE19\uFE30-\uFE6B\uFEFF-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65\uFFE0-\uFFFD\U0001F10D-\U0001FBCA]+', ' ', 'g')));

-- Goes on with the file before, in a separate transaction.

-- Changes records, at most 1 here, while other writers of those wait.
UPDATE "books" SET "shelf" = 'none' WHERE "shelf" IS NULL;
ALTER TABLE "books" ALTER COLUMN "shelf" SET DEFAULT 'none';
ALTER TABLE "books" ADD CONSTRAINT "books_shelf_not_null" CHECK ("shelf" IS NOT NULL) NOT VALID;

-- Goes on with the file before, in a separate transaction.

-- Fails where a record violates it.
ALTER TABLE "books" VALIDATE CONSTRAINT "books_shelf_not_null";

-- Fails where a record violates it.
ALTER TABLE "books" VALIDATE CONSTRAINT "check_language";

-- Goes on with the file before, in a separate transaction.

ALTER TABLE "books" ALTER COLUMN "shelf" SET NOT NULL;
ALTER TABLE "books" DROP CONSTRAINT "books_shelf_not_null";
