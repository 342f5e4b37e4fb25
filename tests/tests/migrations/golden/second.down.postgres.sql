-- Reverts that. Review it before you apply it.
-- For an up file of the hash 02775872d55c6725

ALTER TABLE "books" DROP CONSTRAINT "books_author_id_fkey";

-- If "shelf" was renamed, write this instead of the statements on both columns below:
-- ALTER TABLE "books" RENAME COLUMN "subtitle" TO "shelf";
-- ALTER TABLE "books" RENAME COLUMN "code" TO "shelf";

-- If "isbn" was renamed, write this instead of the statements on both columns below:
-- ALTER TABLE "books" RENAME COLUMN "subtitle" TO "isbn";
-- ALTER TABLE "books" RENAME COLUMN "code" TO "isbn";

ALTER TABLE "books" DROP COLUMN "author_id";

ALTER TABLE "books" DROP CONSTRAINT "check_rating";

ALTER TABLE "books" DROP COLUMN "rating";

ALTER TABLE "books" DROP COLUMN "subtitle";

ALTER TABLE "books" DROP COLUMN "code";

DROP TABLE "authors";

-- no-transaction

-- Reverts that. Review it before you apply it.
-- For an up file of the hash 90bb111f9fce061c

DROP INDEX CONCURRENTLY "ux_books__title";

-- no-transaction

-- Reverts that. Review it before you apply it.
-- For an up file of the hash 87231954f33d937f

DROP INDEX CONCURRENTLY "ix_books__pages__id";

-- no-transaction

-- Reverts that. Review it before you apply it.
-- For an up file of the hash aa6703a044f65683

DROP INDEX CONCURRENTLY "ix_books__author_id__id";

-- Reverts that. Review it before you apply it.
-- For an up file of the hash 3eb431d344afa96f
