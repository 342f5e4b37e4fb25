-- Reverts that. Review it before you apply it.
-- For an up file of the hash ca6824065f07c9ed

ALTER TABLE "books" DROP COLUMN "colour";

ALTER TABLE "books" DROP COLUMN "is_old";

ALTER TABLE "books" DROP CONSTRAINT "check_language";

ALTER TABLE "books" DROP COLUMN "language";

ALTER INDEX "ix_books__page_count__id" RENAME TO "ix_books__pages__id";
ALTER INDEX "ix_books__writer_id__id__deleted_at" RENAME TO "ix_books__author_id__id__deleted_at";
ALTER INDEX "ix_books__writer_id__page_count" RENAME TO "ix_books__author_id__pages";
ALTER INDEX "ux_books__heading" RENAME TO "ux_books__title";
ALTER TABLE "books" RENAME COLUMN "summary" TO "note";
ALTER TABLE "books" RENAME CONSTRAINT "books_writer_id_fkey" TO "books_author_id_fkey";
ALTER TABLE "books" RENAME COLUMN "writer_id" TO "author_id";
ALTER TABLE "books" RENAME COLUMN "page_count" TO "pages";
ALTER TABLE "books" RENAME CONSTRAINT "check_page_count" TO "check_pages";
ALTER TABLE "books" RENAME COLUMN "heading" TO "title";
ALTER TABLE "books" RENAME CONSTRAINT "check_heading" TO "check_title";

CREATE INDEX search_ec9be306_books ON public.books USING gin (to_tsvector('simple'::regconfig, regexp_replace((COALESCE(note, ''::text) COLLATE "C"), '[\u0001-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00A9\u00AB-\u00B1\u00B4-\u00B4\u00B6-\u00B8\u00BB-\u00BB\u00BF-\u00BF\u00D7-\u00D7\u00F7-\u00F7\u02C2-\u02C5\u02D2-\u02DF\u037E-\u037E\u0387-\u0387\u055A-\u055F\u0589-\u058F\u05BE-\u05BE\u05C0-\u05C0\u05C3-\u05C3\u05F3-\u060F\u061B-\u061F\u066A-\u066D\u06D4-\u06D4\u0700-\u070F\u0964-\u0965\u0970-\u0970\u0DF4-\u0DF4\u0E3F-\u0E3F\u0E4F-\u0E4F\u0E5A-\u0E5B\u0F04-\u0F14\u104A-\u104F\u10FB-\u10FB\u1360-\u1368\u166D-\u166E\u1680-\u1680\u17D4-\u17D6\u17D8-\u17DB\u1800-\u180A\u1FBD-\u1FBD\u1FBF-\u1FC1\u1FFD-\u206F\u20A0-\u20C0\u2190-\u245F\u2500-\u2775\u2794-\u2BFF\u2E00-\u2E2E\u2E30-\u3004\u3008-\u3020\u3030-\u3030\u303D-\u303F\u30A0-\u30A0\u30FB-\u30FB\uE000-\uF8FF\uFE10-\uFE19\uFE30-\uFE6B\uFEFF-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65\uFFE0-\uFFFD\U0001F10D-\U0001FBCA]+'::text, ' '::text, 'g'::text)));

-- no-transaction

-- Reverts that. Review it before you apply it.
-- For an up file of the hash 867cd67b9e76d1f5

DROP INDEX CONCURRENTLY "search_2818189a_books";

-- Reverts that. Review it before you apply it.
-- For an up file of the hash df57f573ecefb4ac

ALTER TABLE "books" DROP CONSTRAINT IF EXISTS "books_shelf_not_null";
ALTER TABLE "books" ALTER COLUMN "shelf" DROP DEFAULT;

-- Reverts that. Review it before you apply it.
-- For an up file of the hash fff63048424a2049

-- Reverts that. Review it before you apply it.
-- For an up file of the hash 5f118c72ef590ef1

ALTER TABLE "books" ALTER COLUMN "shelf" DROP NOT NULL;
